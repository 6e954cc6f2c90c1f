"""State of a service: its last results, since when, and the last day in short form."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import NonNegativeInt

from bot.models.check_result import CheckResult, ServiceStatus
from bot.models.fact import Fact
from bot.models.session import SessionId
from bot.models.thread_id import ThreadId

Mark = Literal["", "healthy", "degraded", "down"]
"""Worst status of half an hour; empty if nothing was checked."""
MARKS_A_DAY = 48


class DayMarks(Fact):
    """Worst status of each half hour, oldest first; the last one is under way."""

    ends_at: datetime
    """End of the last half hour, in UTC."""
    marks: tuple[Mark, ...]


class ServiceState(Fact):
    """State of one service, in `services.json`. Times are in UTC."""

    service: str
    group: str
    status: ServiceStatus | None = None
    """Status of the last check; `None` before the first one."""
    since: datetime | None = None
    """Time of the first check with this status."""
    checked_at: datetime | None = None
    results: tuple[CheckResult, ...] = ()
    """Latest result of each of its checks."""
    unchecked: tuple[str, ...] = ()
    """Checks that could not be made in the last run, each with its reason; they do not count."""
    unhealthy_in_row: NonNegativeInt = 0
    healthy_in_row: NonNegativeInt = 0
    changes: tuple[datetime, ...] = ()
    """Times of the last changes between healthy and unhealthy, for flapping; oldest first."""
    session_id: SessionId | None = None
    """Session of its present outage."""
    thread_id: ThreadId | None = None
    """Thread of its present or last incident."""
    cooldown_until: datetime | None = None
    """Time until which another failure continues that thread."""
    days: DayMarks | None = None
