"""Working hours: days and hours in the team's time zone, and arithmetic on working time.

Times are aware; a day of 23 or 25 hours does not change the length of an hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, get_args
from zoneinfo import ZoneInfo

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = get_args(Day)

MIDNIGHT = 24 * 60
_LONGEST_SEARCH = 10_000
"""Maximum of days that are searched; thousands of minutes in hours of one minute a week."""


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """Working hours: `opens` and `closes` in minutes since midnight in `zone`, the second later, at most 24 h."""

    days: frozenset[Day]
    opens: int
    closes: int
    zone: str

    def add(self, start: datetime, span: timedelta) -> datetime:
        """Return the time after `span` of working time since `start`; within working hours, or at their end."""
        day, left = start.astimezone(ZoneInfo(self.zone)).date(), span
        for _ in range(_LONGEST_SEARCH):
            begins, ends = self._bounds_of_day(day)
            begins = max(begins, start)
            if begins < ends:
                if left <= ends - begins:
                    return begins + left
                left -= ends - begins
            day += timedelta(days=1)
        return start + span

    def open_from(self, at: datetime) -> datetime:
        """Return the first working moment from `at` on: `at` itself during working hours."""
        day = at.astimezone(ZoneInfo(self.zone)).date()
        for _ in range(_LONGEST_SEARCH):
            begins, ends = self._bounds_of_day(day)
            if at < ends and begins < ends:
                return max(begins, at)
            day += timedelta(days=1)
        return at

    def _bounds_of_day(self, day: date) -> tuple[datetime, datetime]:
        """Return the begin and the end of a day's work; equal on a day off."""
        begins, ends = self._moment(day, self.opens), self._moment(day, self.closes)
        return (begins, ends) if DAYS[day.weekday()] in self.days else (begins, begins)

    def _moment(self, day: date, minutes: int) -> datetime:
        if minutes == MIDNIGHT:
            day, minutes = day + timedelta(days=1), 0
        local = datetime.combine(day, time(minutes // 60, minutes % 60), tzinfo=ZoneInfo(self.zone))
        return local.astimezone(UTC)


def add_working_time(hours: WorkingHours | None, start: datetime, span: timedelta) -> datetime:
    """Add working time to `start`; without working hours all time counts."""
    return start + span if hours is None else hours.add(start, span)


def open_from(hours: WorkingHours | None, at: datetime) -> datetime:
    """Return the first working moment from `at` on; without working hours `at` itself."""
    return at if hours is None else hours.open_from(at)
