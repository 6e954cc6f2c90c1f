"""What a running bot does from time to time: the jobs of `runtime/scheduler`, with what they work on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.json_file import KeptFile
from bot.adapters.purge import Criterion, purge_parts
from bot.runtime import scheduler
from bot.runtime.scheduler import DayJob, Job
from bot.triage.retention import Retention
from bot.wiring.reports import build_reporting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.adapters.checkouts.repositories import Repositories
    from bot.adapters.home import Home
    from bot.commands.confirmation_buttons import ConfirmationDesk
    from bot.intake.kept_cursors import Watching
    from bot.intake.team import Team
    from bot.ports.outbound import Clock, Journal
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake


@dataclass(frozen=True, kw_only=True)
class Periodic:
    """All of it. `keep` is for how long records and closed threads are kept."""

    home: Home
    keep: timedelta
    clock: Clock
    orchestrator: Orchestrator
    journals: Sequence[Journal]
    cursors: Watching
    team: Team
    operators: Operators
    repositories: Repositories
    expire: Callable[[], Awaitable[None]]
    """Settles the commands that waited too long for a press."""
    reports: Sequence[DayJob] = ()

    async def begin(self) -> None:
        """Know from where each channel is to be read; before Slack is connected, and after the watcher's `recover`."""
        await self.cursors.begin()
        await self.repositories.fetch_missing()

    async def run(self) -> None:
        """Keep the schedule, until cancelled."""
        retention = Retention(
            keep=self.keep,
            clock=self.clock,
            store=self.orchestrator.store,
            journals=self.journals,
            is_over=lambda line, before: Criterion(before=before).takes_line(line),
            purge_parts=partial(purge_parts, self.home.path),
            forget=self.orchestrator.open_threads.forget,
        )
        jobs: tuple[Job | DayJob, ...] = (
            Job("retention", timedelta(days=1), retention.run),
            Job("team", timedelta(days=1), self.team.refresh),
            Job("operators", timedelta(hours=1), self.operators.refresh),
            Job("watching", timedelta(hours=1), self.cursors.save),
            Job("confirmations", timedelta(minutes=1), self.expire),
            *self.reports,
        )
        try:
            kept = KeptFile(self.home.schedule)
            await scheduler.run(jobs, clock=self.clock, kept=kept, more=self._fetches)
        finally:
            await self.repositories.stop()

    def _fetches(self) -> tuple[Job, ...]:
        """Fetch each repository at its own interval. A job only starts it: a slow server delays nothing else."""
        fetch = self.repositories.fetch_soon
        return tuple(
            Job(f"fetch {name}", every, partial(fetch, name)) for name, every in self.repositories.intervals.items()
        )


def build_periodic(
    infra: Infrastructure, orchestrator: Orchestrator, intake: Intake, confirming: ConfirmationDesk
) -> Periodic:
    """Build the periodic work."""
    return Periodic(
        home=infra.home,
        keep=timedelta(days=infra.settings.retention.days),
        clock=infra.clock,
        orchestrator=orchestrator,
        journals=infra.journals,
        cursors=intake.cursors,
        team=intake.watcher.team,
        operators=infra.operators,
        repositories=infra.repositories,
        expire=confirming.expire,
        reports=build_reporting(infra, orchestrator).jobs(),
    )
