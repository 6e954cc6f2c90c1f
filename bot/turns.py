"""How a thread moves, from the settings. Called by `bot/app`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.settling import SettlingWords
from bot.decide.workflow import Limits
from bot.intake.windows import Windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.settings import Settings
    from bot.triage.projects import Projects


def limits(settings: Settings, projects: Projects, redact: Callable[[str], str]) -> Limits:
    """What decides how a thread moves; `redact` takes secrets out of what names a task."""
    return Limits(
        debounce=timedelta(milliseconds=settings.slack.debounce_ms),
        debounce_cap=timedelta(milliseconds=settings.slack.debounce_cap_ms),
        marks=settings.marks,
        validator_bounces=min(settings.validator.max_rounds, settings.investigator.max_rounds - 1),
        expiry=timedelta(hours=settings.approval.expire_hours),
        remind=timedelta(minutes=settings.approval.remind_min) or None,
        hand_over=timedelta(minutes=settings.approval.hand_over_min) or None,
        hours=settings.working_hours,
        cards=settings.card_places,
        route=projects.route,
        model=settings.investigator.model if settings.engine == "claude" else settings.engine,
        redact=redact,
        settling=SettlingWords(settings.classifier.languages),
        second_approver=settings.approval.second_approver,
        asker_may_approve=settings.approval.asker_may_approve,
    )


def windows(settings: Settings) -> Windows:
    """Which messages belong together."""
    slack = settings.slack
    return Windows(timedelta(milliseconds=slack.debounce_ms), timedelta(milliseconds=slack.debounce_cap_ms))
