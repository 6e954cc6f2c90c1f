"""Checks of tiers 2 and 3 for `triage doctor`: what they would start, and where it could be watched."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck
from bot.cli.program_places import find_program_fault
from bot.config.limits import TIERS, escalation_policy
from bot.config.model_parameters import tier_model
from bot.config.settings_checks import model_is_usable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.models.handoff import NextTier

NAME = "long runs"


def check_tiers(settings: Settings, environment: Environment) -> Iterator[DoctorCheck]:
    """Check each tier that may be started, and tmux; only name the reason where none may be."""
    if reason := _find_reason(settings):
        yield DoctorCheck(NAME, None, f"off; {reason}")
        return
    policy = escalation_policy(settings)
    for tier in TIERS:
        if tier <= policy.max_tier:
            yield _check_tier(settings, environment, tier)
    if policy.dry_run:
        yield DoctorCheck(NAME, None, "recorded, never started: `escalation.dry_run` is on")
    elif tmux := shutil.which("tmux"):
        yield DoctorCheck(NAME, True, f"in tmux ({tmux}); `triage attach` shows their terminal")
    else:
        detached = "no tmux in PATH, so each is a detached process, and `triage attach` follows its transcript"
        yield DoctorCheck(NAME, None, detached)


def _find_reason(settings: Settings) -> str:
    """Return the reason why no tier may be started; empty if one may."""
    policy = escalation_policy(settings)
    if not policy.enabled:
        return "`escalation.enabled` is false"
    if policy.max_tier == 1:
        return "`escalation.max_tier` is 1"
    if not any(policy.starts(tier) for tier in TIERS):
        return "nothing to start: `engine: claude` or `tiers.<n>.command` starts them (docs/escalation.md)"
    return ""


def _check_tier(settings: Settings, environment: Environment, tier: NextTier) -> DoctorCheck:
    section, name = settings.tiers.get_tier(tier), f"tier {tier}"
    limits = f"{section.hard_cap_runtime_min:g} min, ${section.max_usd or settings.model.max_usd_per_run:.2f} at most"
    if section.command:
        program = section.command[0]
        if place := shutil.which(program):
            return DoctorCheck(name, True, f"starts {place}; {limits}")
        missing = f"tiers.{tier}.command: {program} cannot be started: {find_program_fault(program)}"
        return DoctorCheck(name, False, missing)
    if settings.engine != "claude":
        return DoctorCheck(name, None, f"nothing to start; `engine: claude` or `tiers.{tier}.command` starts it")
    if warning := model_is_usable(settings, environment):
        return DoctorCheck(name, False, warning)
    return DoctorCheck(name, True, f"starts Triage's investigator on {tier_model(settings, tier)}; {limits}")
