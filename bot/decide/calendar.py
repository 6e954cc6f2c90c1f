"""Scheduled times of day, such as that of the daily brief. Pure.

A day is a date in the team's time zone. A time that is skipped when summer time begins is one hour later that day; of a
time that occurs twice at its end, the first counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Collection

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class At:
    """Time of day in a time zone (an IANA name): every day, or on one weekday, with 0 for Monday."""

    time: time
    zone: str
    weekday: int | None = None

    def moment(self, day: date) -> datetime:
        """Return this time on a day, in UTC."""
        return datetime.combine(day, self.time, tzinfo=ZoneInfo(self.zone)).astimezone(UTC)

    def day(self, now: datetime) -> date:
        """Return the current scheduled day: today, or the last such weekday."""
        today = now.astimezone(ZoneInfo(self.zone)).date()
        return today if self.weekday is None else today - timedelta(days=(today.weekday() - self.weekday) % 7)


def day_due(at: At, done: Collection[date], now: datetime) -> date | None:
    """Return the scheduled day to process now; `None` before its time, or when it is done.

    A missed day is made up for until it ends; a missed weekday, until the next such day. A clock that is set back finds
    days that are done.
    """
    day = at.day(now)
    return day if now >= at.moment(day) and day not in done else None


def read_time(text: str) -> time:
    """Parse `08:30`. Raises `ValueError` with the expected form."""
    hours, colon, minutes = text.strip().partition(":")
    if not (colon and hours.isascii() and minutes.isascii() and hours.isdecimal() and len(minutes) == 2):
        raise ValueError(f"expected a time of day such as 08:30, or off; got {text[:40]!r}")
    try:
        return time(int(hours[:3]), int(minutes))
    except ValueError:
        raise ValueError(f"expected a time of day such as 08:30, or off; got {text[:40]!r}") from None


def read_weekday_time(text: str) -> tuple[int, time]:
    """Parse `mon 09:00`. Raises `ValueError` with the expected form."""
    name, _, rest = text.strip().partition(" ")
    if name.lower()[:3] not in WEEKDAYS or not rest:
        raise ValueError(f"expected a weekday and a time such as mon 09:00, or off; got {text[:40]!r}")
    return WEEKDAYS.index(name.lower()[:3]), read_time(rest)
