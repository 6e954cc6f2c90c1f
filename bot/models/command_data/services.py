"""Data of `services`."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class CheckData(Fact):
    """Latest result of one check."""

    type: str
    status: str
    error: str
    response_time_ms: int | None


class ServiceData(Fact):
    """A service."""

    name: str
    group: str
    status: str | None
    """`healthy`, `degraded` or `down`; `None` before the first check."""
    since: UtcTime | None
    checked_at: UtcTime | None
    checks: tuple[CheckData, ...]
    unchecked: tuple[str, ...]
    """Checks that could not be made, each with its reason."""
    thread_id: str | None
    """Thread of its present or last incident."""


class ServicesData(Fact):
    """Services, those that are not healthy first."""

    services: tuple[ServiceData, ...]
