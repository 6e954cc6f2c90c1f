"""Periods of reports: each begins at the report before it, so that nothing is repeated or left out. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time, timedelta
from typing import TYPE_CHECKING, Literal

from bot.decide.calendar import At, read_time, read_weekday_time

if TYPE_CHECKING:
    from datetime import date, datetime

    from bot.config.sections.reports import ReportsSection

Kind = Literal["brief", "end_of_day"]
OFF = "off"


@dataclass(frozen=True, kw_only=True)
class ReportHours:
    """Times of the scheduled reports; `None` for one that is off."""

    zone: str
    brief: At | None
    end_of_day: At | None
    weekly: At | None

    def begin_of(self, kind: Kind, day: date) -> datetime:
        """Return the begin of a report's period: the end of the day before for a brief, that day's brief for an end of
        day."""
        if kind == "end_of_day" and self.brief:
            return self.brief.moment(day)
        if kind == "end_of_day":
            return At(time(), self.zone).moment(day)
        return (self.end_of_day or self.brief or At(time(), self.zone)).moment(day - timedelta(days=1))

    def date_of(self, now: datetime) -> date:
        """Return the date in the team's zone."""
        return At(time(), self.zone).day(now)


def parse_report_hours(section: ReportsSection, zone: str) -> ReportHours:
    """Parse the report times of the settings; each is a time, or `off`."""
    weekly = None
    if section.weekly_at != OFF:
        weekday, at = read_weekday_time(section.weekly_at)
        weekly = At(at, zone, weekday)
    return ReportHours(
        zone=zone,
        brief=None if section.brief_at == OFF else At(read_time(section.brief_at), zone),
        end_of_day=None if section.end_of_day_at == OFF else At(read_time(section.end_of_day_at), zone),
        weekly=weekly,
    )
