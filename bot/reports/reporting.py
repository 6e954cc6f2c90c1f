"""Reports: figures and briefs for commands, and the jobs that post them at set hours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.reports.brief import build_brief, read_brief
from bot.reports.criteria import build_report
from bot.reports.metrics import gather
from bot.reports.weekly import DAYS, build_review
from bot.runtime.scheduler import DayJob

if TYPE_CHECKING:
    from datetime import date, datetime

    from blocks.announcement import Announcement
    from bot.decide.redaction.redactor import Redactor
    from bot.models.criterion import AcceptanceReport
    from bot.reports.brief import BriefContents
    from bot.reports.criteria import Recorded
    from bot.reports.metrics import Figures, Sources
    from bot.reports.outages import OutageReader
    from bot.reports.period import Kind, ReportHours
    from bot.reports.posting import Posting
    from bot.triage.open_threads import OpenThreads


class RecordReader(Protocol):
    """Reader of what the acceptance criteria are measured by (`bot.wiring.report_records.HomeRecords`)."""

    async def read(self, *, now: datetime) -> Recorded:
        """Read the records of the last weeks. Raises `Misconfigured` if the baseline does not parse."""


@dataclass(frozen=True, kw_only=True)
class Reporting:
    """Builds reports from `sources`. Briefs go to `operators`, reviews of a week to `admins`."""

    sources: Sources
    open_threads: OpenThreads
    hours: ReportHours
    posting: Posting
    operators: tuple[str, ...]
    admins: tuple[str, ...]
    redactor: Redactor
    url: str
    outages: OutageReader
    records: RecordReader

    async def figures(self, days: int) -> Figures:
        """Return the figures that `triage metrics` prints."""
        return await gather(self.sources, days=days, now=self.posting.clock.now())

    async def acceptance(self) -> AcceptanceReport:
        """Return the acceptance criteria as of now, which `triage report` prints."""
        now = self.posting.clock.now()
        return build_report(await self.records.read(now=now), now=now)

    async def brief(self) -> tuple[Announcement, BriefContents]:
        """Return today's morning brief as of now, and its contents."""
        since = self.hours.begin_of("brief", self.hours.date_of(self.posting.clock.now()))
        contents = await self._read(since)
        return build_brief(contents, "brief", url=self.url), contents

    def jobs(self) -> tuple[DayJob, ...]:
        """Return the jobs that the settings have not turned off."""
        times = self.hours
        jobs = (
            ("brief", times.brief, self._post_brief),
            ("end_of_day", times.end_of_day, self._post_end_of_day),
            ("weekly", times.weekly, self._post_review),
        )
        return tuple(DayJob(name, at, work) for name, at, work in jobs if at)

    async def _post_brief(self, day: date) -> None:
        announcement = await self._announcement("brief", self.hours.begin_of("brief", day))
        await self.posting.post(announcement, "brief", day, people=self.operators)

    async def _post_end_of_day(self, day: date) -> None:
        """Post nothing about a day without events: the next morning's brief says so."""
        announcement = await self._announcement("end_of_day", self.hours.begin_of("end_of_day", day))
        if announcement.parts:
            await self.posting.post(announcement, "end_of_day", day, people=self.operators)

    async def _post_review(self, day: date) -> None:
        figures = await gather(self.sources, days=DAYS, now=self.posting.clock.now())
        announcement = build_review(figures, await self.acceptance())
        await self.posting.post(announcement, "weekly", day, people=self.admins)

    async def _announcement(self, kind: Kind, since: datetime) -> Announcement:
        return build_brief(await self._read(since), kind, url=self.url)

    async def _read(self, since: datetime) -> BriefContents:
        open_ids, now = self.open_threads.ids(), self.posting.clock.now()
        return await read_brief(
            self.sources,
            open_ids=open_ids,
            since=since,
            until=now,
            redactor=self.redactor,
            outages=await self.outages.read(since),
        )
