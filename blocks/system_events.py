"""Events of the supervisor as mrkdwn: critical ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import clip, escape, moment
from bot.models.system_event import EVENT_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.system_event import SystemEvent

_MESSAGE = 300
_LABELS = {"critical": "*Critical:* ", "warning": "*Warning:* ", "info": ""}


def order_events(events: Iterable[SystemEvent]) -> list[SystemEvent]:
    """Order events by level, critical ones first, and within a level the newest first."""
    newest = sorted(events, key=lambda event: event.at, reverse=True)
    return sorted(newest, key=lambda event: -EVENT_LEVELS.index(event.level))


def describe_event(event: SystemEvent) -> str:
    """Describe one event with its time and session."""
    message = escape(clip(" ".join(event.message.split()), _MESSAGE))
    session = f" Session #{event.session}." if event.session else ""
    return f"{moment(event.at)} {_LABELS[event.level]}{message}{'' if message.endswith('.') else '.'}{session}"
