"""Reader's clock: the time zone for times in texts that Slack does not localise."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import tzinfo

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ReaderClock:
    """Lookup of readers' time zones. `time_zone` returns the zone set in Slack; `zone` is the fallback."""

    time_zone: Callable[[str], Awaitable[str]]
    zone: str = "UTC"

    async def time_zone_of(self, user: str) -> tzinfo:
        """Return a user's time zone. Raises nothing."""
        try:
            return ZoneInfo(await self.time_zone(user) or self.zone)
        except (TriageError, KeyError, ValueError, OSError) as problem:
            log.info("the time zone of %s is unknown: %s", user, problem)
            return ZoneInfo(self.zone)
