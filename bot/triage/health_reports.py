"""Health reports: the status of a running bot, saved every few seconds for `triage doctor`."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.models.health import Health
from bot.runtime.retry import sleep_unless

if TYPE_CHECKING:
    from bot.agents.search_state import SearchState
    from bot.ports.deliveries import DatabaseLease
    from bot.ports.slack import SlackConnection
    from bot.triage.losses import Losses

log = logging.getLogger(__name__)

EVERY = 10.0
"""Seconds between two reports."""


class HealthFile(Protocol):
    """File of the newest report."""

    def write_health(self, health: Health) -> None:
        """Save a report, blocking. Raises `OSError`."""


@dataclass(frozen=True, kw_only=True)
class HealthReports:
    """Saves reports."""

    home: HealthFile
    connection: SlackConnection
    searches: SearchState
    losses: Losses
    lease: DatabaseLease | None = None
    """Lease of a leading replica; `None` for an embedded bot."""

    async def run(self) -> None:
        """Report every few seconds, and immediately when something is lost or found again, until cancelled."""
        while True:
            self.losses.news.clear()
            await self.report()
            await sleep_unless(self.losses.clock, EVERY, unless=self.losses.news)

    async def report(self) -> None:
        """Save one report."""
        health = Health(
            at=self.losses.clock.now(),
            pid=os.getpid(),
            connected=await self.connection.connected(),
            is_database_away=self.lease is not None and not self.lease.is_answered,
            searches=self.searches.describe(),
            problems=self.losses.problems,
        )
        try:
            await asyncio.to_thread(self.home.write_health, health)
        except OSError as problem:
            log.warning("no word of health could be left: %s", problem.strerror)
