"""Working hours: on which days and between which hours of the team's zone people are at work, and what time passes.

Moments are aware; what a day of 23 or 25 hours does to the wall clock changes nothing of how long an hour is.
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
"""Days that are gone through at most; thousands of minutes in hours that are one minute a week."""


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """`opens` and `closes` are minutes since midnight in `zone`, the second one later than the first, at most 24 h."""

    days: frozenset[Day]
    opens: int
    closes: int
    zone: str

    def after(self, start: datetime, span: timedelta) -> datetime:
        """When so much working time will have passed since `start`; a moment within working hours, or their end."""
        day, left = start.astimezone(ZoneInfo(self.zone)).date(), span
        for _ in range(_LONGEST_SEARCH):
            begins, ends = self._of(day)
            begins = max(begins, start)
            if begins < ends:
                if left <= ends - begins:
                    return begins + left
                left -= ends - begins
            day += timedelta(days=1)
        return start + span

    def open_from(self, at: datetime) -> datetime:
        """The first moment from `at` on at which people are at work: `at` itself while they are."""
        day = at.astimezone(ZoneInfo(self.zone)).date()
        for _ in range(_LONGEST_SEARCH):
            begins, ends = self._of(day)
            if at < ends and begins < ends:
                return max(begins, at)
            day += timedelta(days=1)
        return at

    def _of(self, day: date) -> tuple[datetime, datetime]:
        """When the work of a day begins and ends; at once where it is a day off."""
        begins, ends = self._moment(day, self.opens), self._moment(day, self.closes)
        return (begins, ends) if DAYS[day.weekday()] in self.days else (begins, begins)

    def _moment(self, day: date, minutes: int) -> datetime:
        if minutes == MIDNIGHT:
            day, minutes = day + timedelta(days=1), 0
        local = datetime.combine(day, time(minutes // 60, minutes % 60), tzinfo=ZoneInfo(self.zone))
        return local.astimezone(UTC)


def after(hours: WorkingHours | None, start: datetime, span: timedelta) -> datetime:
    """The same where there may be no working hours: then all time counts."""
    return start + span if hours is None else hours.after(start, span)


def open_from(hours: WorkingHours | None, at: datetime) -> datetime:
    """As above."""
    return at if hours is None else hours.open_from(at)
