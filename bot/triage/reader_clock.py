"""The clock of whoever reads: by which zone times are told where Slack does not tell them itself."""

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
    """`time_zone` is the name of the zone that a person has set in Slack; where nobody knows it, `zone` counts."""

    time_zone: Callable[[str], Awaitable[str]]
    zone: str = "UTC"

    async def of(self, user: str) -> tzinfo:
        """By which clock a person reads. Raises nothing."""
        try:
            return ZoneInfo(await self.time_zone(user) or self.zone)
        except (TriageError, KeyError, ValueError, OSError) as problem:
            log.info("the time zone of %s is unknown: %s", user, problem)
            return ZoneInfo(self.zone)
