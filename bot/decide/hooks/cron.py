"""Times of a cron expression in a time zone. Pure, on cronsim, which follows the cron of Debian.

An expression with a set minute and a set hour keeps to the clock on the wall: a time that is skipped when summer time
begins comes at the end of the gap, and one that occurs twice at its end comes the first time only. An expression whose
minute or hour begins with a star keeps to real time: nothing in the skipped hour, and the repeated hour twice.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

if TYPE_CHECKING:
    from collections.abc import Iterator

FIELDS = 5
EXPECTED = "expected minute, hour, day, month and weekday, such as `0 9 * * mon-fri`"
_FURTHEST = timedelta(days=366 * 8)
"""Distance of the next time up to which an expression is taken: 29 February may be eight years away."""


def find_cron_fault(expression: str, zone: str, now: datetime) -> str:
    """Return the fault of an expression, as a clause; empty if it has none."""
    if len(expression.split()) != FIELDS:
        return EXPECTED
    try:
        next_at = find_next_time(expression, zone, now)
    except CronSimError as problem:
        return f"{EXPECTED}; {str(problem)[:1].lower()}{str(problem)[1:]}"
    return "" if next_at else "it has no time within eight years"


def find_next_time(expression: str, zone: str, after: datetime) -> datetime | None:
    """Return the first time after this one, in UTC; `None` if there is none within eight years."""
    return next(list_times(expression, zone, after), None)


def list_times(expression: str, zone: str, after: datetime) -> Iterator[datetime]:
    """Yield the times after this one, in UTC; at most those of the next eight years."""
    last = after
    for local in CronSim(expression, after.astimezone(ZoneInfo(zone))):
        at = local.astimezone(UTC)
        if at > after + _FURTHEST:
            return
        if at > last:  # in the hour that occurs twice, cronsim begins with the first one
            yield (last := at)
