"""Limits of workflow and agents, from the settings."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bot.decide.escalation import EscalationPolicy
from bot.decide.limits import RunLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.decide.workflow import WorkflowLimits
    from bot.decide.workflow.steps import QuestionRouter
    from bot.models.handoff import NextTier

TIERS: tuple[NextTier, ...] = (2, 3)
KEYWORD_SECONDS = 30.0
"""Seconds of an investigation that are left for the keyword engine where the model never answers."""
VALIDATOR_TURNS = 8
"""Turns of a validator's spot-check."""
VALIDATOR_SHARE = 0.8
"""Share of an investigator's time: a validator ends before the check of the draft does."""
SMALL_RESULTS: dict[str, Any] = {"tool_bytes": 48_000, "result_bytes": 6_000, "calls_per_turn": 4}
"""Limits of tool results with `model.small`: all of them are about 16,000 tokens."""
TIER_TOKENS = 100_000
"""Tokens a turn of a long run, for models without a known price."""
TIER_BYTES = 16_000
"""Bytes of tool results a turn of a long run."""
MOST_TIER_BYTES = 2_000_000
"""Maximum of bytes of all results of a long run: about 700,000 tokens."""
REPAIRS = 1
"""Times that an answer in a wrong form or over a cap is sent back; then the run fails with that reason."""


def workflow_limits(
    settings: Settings,
    *,
    bot_name: str,
    router: QuestionRouter,
    redactor: Redactor,
    project_names: Callable[[], Sequence[str]] = tuple,
) -> WorkflowLimits:
    """Return the limits of threads. `router` finds the project and role of a question, `project_names` lists all."""
    # a hundred modules, which `triage doctor` has no need of
    from bot.decide.classify.settlement import settling_words
    from bot.decide.retrieval.normalised_question import normaliser
    from bot.decide.workflow import WorkflowLimits

    slack, approval, languages = settings.slack, settings.approval, settings.classifier.languages
    return WorkflowLimits(
        debounce=timedelta(milliseconds=slack.debounce_ms),
        debounce_cap=timedelta(milliseconds=slack.debounce_cap_ms),
        marks=settings.marks,
        validator_bounces=min(settings.validator.max_rounds, settings.investigator.max_rounds - 1),
        expiry=timedelta(hours=approval.expire_hours),
        remind=timedelta(minutes=approval.remind_min) or None,
        hand_over=timedelta(minutes=approval.hand_over_min) or None,
        escalation=escalation_policy(settings),
        project_names=project_names,
        progress=timedelta(minutes=approval.progress_min) or None,
        hours=settings.working_hours,
        cards=settings.card_places,
        router=router,
        model=settings.investigator.model if settings.engine == "claude" else settings.engine,
        tier_models={tier: _name_model(settings, tier) for tier in TIERS},
        redactor=redactor,
        normaliser=normaliser((bot_name,), tuple(settings.classifier.question_keywords)),
        settling=settling_words(languages),
        alert_pause=timedelta(minutes=settings.classifier.alert_pause_min),
        second_approver=approval.second_approver,
        hold_low=approval.hold_low,
        reads_files=slack.read_files,
        asker_may_approve=approval.asker_may_approve,
    )


def _name_model(settings: Settings, tier: NextTier) -> str:
    """Return the model of a tier, or the name of the program in its place."""
    section = settings.tiers.get_tier(tier)
    return PurePath(section.command[0]).name if section.command else section.model or settings.investigator.model


def escalation_policy(settings: Settings) -> EscalationPolicy:
    """Return the rules for runs in a process of their own."""
    section = settings.escalation
    has_engine = settings.engine == "claude"
    return EscalationPolicy(
        enabled=section.enabled,
        max_tier=section.max_tier,
        dry_run=section.dry_run,
        threshold_min=section.expected_runtime_min_threshold,
        may_start=frozenset(tier for tier in TIERS if has_engine or settings.tiers.get_tier(tier).command),
    )


def find_longest_run(settings: Settings) -> timedelta:
    """Return the maximum time of an investigation, of all tiers that may start: so long may it read its code."""
    policy = escalation_policy(settings)
    longer = (settings.tiers.get_tier(tier).hard_cap_runtime_min for tier in TIERS if policy.starts(tier))
    return timedelta(minutes=max((settings.investigator.hard_cap_runtime_min, *longer)))


def investigation_limits(settings: Settings) -> RunLimits:
    """Return the limits of one investigation."""
    whole = settings.investigator.hard_cap_runtime_min * 60
    seconds = max(whole - KEYWORD_SECONDS, whole / 2)
    model = settings.model
    limits = RunLimits(usd=model.max_usd_per_run, seconds=seconds, retries=model.max_retries, corrections=REPAIRS)
    return replace(limits, **SMALL_RESULTS) if model.small else limits


def tier_limits(settings: Settings, tier: NextTier, *, usd: float, seconds: float) -> RunLimits:
    """Return the limits of a run of tier 2 or 3; its money and its time come from its task."""
    turns = settings.tiers.get_tier(tier).max_turns
    usual = investigation_limits(settings)
    return replace(
        usual,
        turns=turns,
        seconds=seconds,
        usd=usd,
        tokens=max(usual.tokens, turns * TIER_TOKENS),
        tool_bytes=usual.tool_bytes if settings.model.small else min(MOST_TIER_BYTES, turns * TIER_BYTES),
    )


def validator_limits(investigation: RunLimits) -> RunLimits:
    """Return the limits of a validator's run, from those of the investigation."""
    return replace(investigation, turns=VALIDATOR_TURNS, seconds=VALIDATOR_SHARE * investigation.seconds)


def chat_limits(settings: Settings) -> RunLimits:
    """Return the limits of one chat turn."""
    chat = settings.chat
    limits = RunLimits(
        turns=chat.max_turns + 1,  # the last one is for the answer
        seconds=chat.max_seconds,
        idle_seconds=chat.max_seconds,
        usd=chat.max_usd,
        retries=settings.model.max_retries,
        corrections=1,
    )
    return replace(limits, **SMALL_RESULTS) if settings.model.small else limits
