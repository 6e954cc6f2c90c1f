"""Event of the supervisor: a line of `system.ndjson` that names the session it belongs to (spec 3)."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from bot.models.fact import Fact
from bot.models.session import SessionId

EventLevel = Literal["info", "warning", "critical"]
EVENT_LEVELS: tuple[EventLevel, ...] = get_args(EventLevel)


class SystemEvent(Fact):
    """One event. Its message is redacted, and may repeat words of an agent."""

    at: datetime
    level: EventLevel
    session: SessionId | None
    """The session whose end or handoff it is about; `None` for an event of no session."""
    message: str
