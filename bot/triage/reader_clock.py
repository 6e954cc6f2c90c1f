"""Reader's clock: the time zone for times in texts that Slack does not localise."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from zoneinfo import ZoneInfo

from bot.errors import TriageError

if TYPE_CHECKING:
    from datetime import tzinfo

log = logging.getLogger(__name__)


class TimeZones(Protocol):
    """Time zones that people have set in Slack."""

    async def time_zone(self, user: str) -> str:
        """Return the name of a user's time zone."""


@dataclass(frozen=True, kw_only=True)
class ReaderClock:
    """Lookup of readers' time zones. `zone` is the fallback."""

    people: TimeZones
    zone: str = "UTC"

    async def time_zone_of(self, user: str) -> tzinfo:
        """Return a user's time zone. Raises nothing."""
        try:
            return ZoneInfo(await self.people.time_zone(user) or self.zone)
        except (TriageError, KeyError, ValueError, OSError) as problem:
            log.info("the time zone of %s is unknown: %s", user, problem)
            return ZoneInfo(self.zone)
