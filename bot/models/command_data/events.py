"""Data of `get_recent_events` and `events`."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact
from bot.models.system_event import EventLevel


class EventData(Fact):
    """A recent event."""

    at: UtcTime
    kind: str
    """`question`, `action`, `reply`, `failure`, `task` or `incident`."""
    text: str
    user: str | None
    """User who asked, acted or created the task."""
    channel: str | None
    outcome: str | None
    """Outcome of an action; of a task its ending, once it has one."""


class EventsData(Fact):
    """Recent events, the newest first."""

    hours: int
    total: int
    other_messages: int
    """Number of messages that were no question."""
    events: tuple[EventData, ...]
    omitted: int
    """Number of older events that are not listed."""


class EscalationEventData(Fact):
    """An event of an escalation."""

    at: UtcTime
    level: EventLevel
    session: str | None
    message: str


class EscalationEventsData(Fact):
    """Events of escalations, critical ones first."""

    hours: int
    critical: int
    events: tuple[EscalationEventData, ...]
    omitted: int
    """Number of events that are not listed."""
