"""Times of day, as people set them: when a day's brief is due, and when its time was. Pure.

A day is a date in the team's zone. A time that a zone leaves out when its summer begins is an hour later that day; of
one that comes twice at its end, the first counts.
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
    """A time of day in a zone (an IANA name): every day, or on one weekday, of which 0 is Monday."""

    time: time
    zone: str
    weekday: int | None = None

    def moment(self, day: date) -> datetime:
        """When it is that time on that day, in UTC."""
        return datetime.combine(day, self.time, tzinfo=ZoneInfo(self.zone)).astimezone(UTC)

    def day(self, now: datetime) -> date:
        """The day whose turn it is or was last: today, or the last such weekday."""
        today = now.astimezone(ZoneInfo(self.zone)).date()
        return today if self.weekday is None else today - timedelta(days=(today.weekday() - self.weekday) % 7)

    def before(self, day: date) -> date:
        """The day whose turn was before."""
        return day - timedelta(days=1 if self.weekday is None else 7)


def day_due(at: At, done: Collection[date], now: datetime) -> date | None:
    """The day that is to be done now; `None` when its time has not come, or it is done.

    A day that was missed is made up for until it ends, one of a weekday until the next such day. A clock that is set
    back comes to days that are done.
    """
    day = at.day(now)
    return day if now >= at.moment(day) and day not in done else None


def read_time(said: str) -> time:
    """`08:30`. Raises `ValueError` with what was expected."""
    hours, colon, minutes = said.strip().partition(":")
    if not (colon and hours.isascii() and minutes.isascii() and hours.isdecimal() and len(minutes) == 2):
        raise ValueError(f"expected a time of day such as 08:30, or off; got {said[:40]!r}")
    try:
        return time(int(hours[:3]), int(minutes))
    except ValueError:
        raise ValueError(f"expected a time of day such as 08:30, or off; got {said[:40]!r}") from None


def read_weekday_time(said: str) -> tuple[int, time]:
    """`mon 09:00`. Raises `ValueError` with what was expected."""
    name, _, rest = said.strip().partition(" ")
    if name.lower()[:3] not in WEEKDAYS or not rest:
        raise ValueError(f"expected a weekday and a time such as mon 09:00, or off; got {said[:40]!r}")
    return WEEKDAYS.index(name.lower()[:3]), read_time(rest)
