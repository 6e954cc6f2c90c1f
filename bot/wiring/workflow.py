"""How a thread moves, from the settings."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.classify.settlement import settling_words
from bot.decide.retrieval.normalised_question import normaliser
from bot.decide.workflow import WorkflowLimits
from bot.intake.debounce import Windows
from bot.triage.slack_names import NamedThreads, SlackNames

if TYPE_CHECKING:
    from bot.config.settings import Settings
    from bot.ports.inbound import Threads
    from bot.wiring.infrastructure import Infrastructure


def limits(ground: Infrastructure) -> WorkflowLimits:
    """What decides how a thread moves."""
    settings = ground.settings
    return WorkflowLimits(
        debounce=timedelta(milliseconds=settings.slack.debounce_ms),
        debounce_cap=timedelta(milliseconds=settings.slack.debounce_cap_ms),
        marks=settings.marks,
        validator_bounces=min(settings.validator.max_rounds, settings.investigator.max_rounds - 1),
        expiry=timedelta(hours=settings.approval.expire_hours),
        remind=timedelta(minutes=settings.approval.remind_min) or None,
        hand_over=timedelta(minutes=settings.approval.hand_over_min) or None,
        progress=timedelta(minutes=settings.approval.progress_min) or None,
        hours=settings.working_hours,
        cards=settings.card_places,
        route=ground.projects.route,
        model=settings.investigator.model if settings.engine == "claude" else settings.engine,
        redact=ground.redactor.redact,
        normalise=normaliser((ground.identity.name,), tuple(settings.classifier.question_keywords)),
        settling=settling_words(settings.classifier.languages),
        second_approver=settings.approval.second_approver,
        hold_low=settings.approval.hold_low,
        reads_files=settings.slack.read_files,
        asker_may_approve=settings.approval.asker_may_approve,
    )


def naming_of(ground: Infrastructure) -> SlackNames:
    """Who asks Slack for names."""
    return SlackNames(chat=ground.chat, channels=ground.chat)


def named_threads(ground: Infrastructure, threads: Threads) -> NamedThreads:
    """The threads as whoever hands messages to them knows them."""
    return NamedThreads(threads=threads, naming=naming_of(ground))


def windows(settings: Settings) -> Windows:
    """Which messages belong together."""
    slack = settings.slack
    return Windows(timedelta(milliseconds=slack.debounce_ms), timedelta(milliseconds=slack.debounce_cap_ms))
