"""Reports, put together: figures and briefs for the commands, and the jobs that post them at set hours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.sessions import SessionFiles
from bot.reports.brief import look, told
from bot.reports.metrics import Sources, gather, lines
from bot.reports.metrics_table import rows
from bot.reports.period import hours
from bot.reports.posting import Posting
from bot.reports.weekly import DAYS, review
from bot.runtime.scheduler import DayJob

if TYPE_CHECKING:
    from datetime import date, datetime

    from blocks.announcement import Bulletin
    from bot.commands.reports import Measured
    from bot.reports.period import Kind, ReportHours
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure


@dataclass(frozen=True, kw_only=True)
class Reporting:
    """What reports are made of, and where they go."""

    ground: Infrastructure
    orchestrator: Orchestrator
    sources: Sources
    hours: ReportHours
    posting: Posting

    async def figures(self, days: int) -> Measured:
        """The lines that `triage metrics` prints too, and the same as a table."""
        found = await gather(self.sources, days=days, now=self.ground.clock.now())
        return lines(found), rows(found)

    async def brief(self) -> Bulletin:
        """This day's morning brief as it would be now."""
        now = self.ground.clock.now()
        return await self._told("brief", self.hours.since("brief", self.hours.today(now)))

    def jobs(self) -> tuple[DayJob, ...]:
        """Those that the settings have not turned off."""
        times = self.hours
        each = (
            ("brief", times.brief, self._morning),
            ("end_of_day", times.end_of_day, self._evening),
            ("weekly", times.weekly, self._week),
        )
        return tuple(DayJob(name, at, work) for name, at, work in each if at)

    async def _morning(self, day: date) -> None:
        said = await self._told("brief", self.hours.since("brief", day))
        await self.posting.post(said, "brief", day, people=self.ground.settings.operators)

    async def _evening(self, day: date) -> None:
        """Nothing is said of a day on which nothing happened: the next morning's brief does."""
        said = await self._told("end_of_day", self.hours.since("end_of_day", day))
        if said.parts:
            await self.posting.post(said, "end_of_day", day, people=self.ground.settings.operators)

    async def _week(self, day: date) -> None:
        said = review(await gather(self.sources, days=DAYS, now=self.ground.clock.now()))
        people = self.ground.settings.admins or (self.ground.operator,)
        await self.posting.post(said, "weekly", day, people=people)

    async def _told(self, kind: Kind, since: datetime) -> Bulletin:
        open_ids, now = self.orchestrator.open_threads.ids(), self.ground.clock.now()
        seen = await look(self.sources, open_ids=open_ids, since=since, until=now, redactor=self.ground.redactor)
        return told(seen, kind, url=self.ground.identity.url)


def reporting(ground: Infrastructure, orchestrator: Orchestrator) -> Reporting:
    """Reports on this ground."""
    section = ground.settings.reports
    return Reporting(
        ground=ground,
        orchestrator=orchestrator,
        sources=Sources(
            classified=ground.classified,
            audit=ground.audit,
            replies=ground.replies,
            labels=ground.labels,
            feedback=ground.feedback,
            sessions=SessionFiles(ground.home.sessions),
            store=orchestrator.store,
        ),
        hours=hours(
            zone=ground.settings.timezone,
            brief_at=section.brief_at,
            end_of_day_at=section.end_of_day_at,
            weekly_at=section.weekly_at,
        ),
        posting=Posting(
            chat=ground.unhurried,
            channels=ground.unhurried,
            bars=ground.members.bars,
            clock=ground.clock,
            channel=section.channel,
        ),
    )
