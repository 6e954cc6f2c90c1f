"""State of a service after a check run: status, runs in a row, changes, and marks of the last day."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.models.service_state import MARKS_A_DAY, DayMarks, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.check_result import CheckResult, ServiceStatus
    from bot.models.service_state import ServiceState

HALF_HOUR = timedelta(minutes=30)
CHANGES_KEPT = 12
"""Number of changes between healthy and unhealthy that are remembered: six outages."""
_TIME = re.compile(r"answered in \d+ ms")
"""Response time in the reason of a slow check."""
_EMPTY: Mark = ""
_EMPTY_DAY = (_EMPTY,) * MARKS_A_DAY
_ORDER: tuple[Mark, ...] = ("", "healthy", "degraded", "down")


def find_worst(results: Iterable[CheckResult]) -> ServiceStatus | None:
    """Return the worst status of some results; `None` without results."""
    return max((result.status for result in results), key=_ORDER.index, default=None)


def is_worse(status: ServiceStatus, than: ServiceStatus | None) -> bool:
    """Return whether a status is worse than another, or the other is unknown."""
    return than is None or _ORDER.index(status) > _ORDER.index(than)


def is_unhealthy(state: ServiceState) -> bool:
    """Return whether the last run of a service was degraded or down."""
    return state.status not in (None, "healthy")


def failing_since(state: ServiceState) -> datetime | None:
    """Return the time of the first unhealthy run in a row; `None` for a service that is not unhealthy."""
    return state.changes[-1] if is_unhealthy(state) and state.changes else None


def apply_run(state: ServiceState, results: tuple[CheckResult, ...], at: datetime) -> ServiceState:
    """Return the state after a run; a run without results changes nothing.

    The first run of a service counts as a change if it is unhealthy.
    """
    status = find_worst(results)
    if status is None:
        return state
    is_healthy, was_healthy = status == "healthy", not is_unhealthy(state)
    return state.evolve(
        status=status,
        since=state.since if status == state.status else at,
        checked_at=at,
        results=results,
        unhealthy_in_row=0 if is_healthy else state.unhealthy_in_row + 1,
        healthy_in_row=state.healthy_in_row + 1 if is_healthy else 0,
        changes=state.changes if is_healthy == was_healthy else (*state.changes, at)[-CHANGES_KEPT:],
        days=add_mark(state.days, status, at),
    )


def add_mark(days: DayMarks | None, status: ServiceStatus, at: datetime) -> DayMarks:
    """Return the marks of the last day after a status; half hours without a check are empty.

    A status from before the last half hour, as after a clock was set back, counts for the last one.
    """
    ends_at = _end_of_half_hour(at)
    marks: tuple[Mark, ...] = _EMPTY_DAY
    if days:
        passed = max(0, (ends_at - days.ends_at) // HALF_HOUR)
        marks = (*days.marks, *_EMPTY_DAY[:passed])
        ends_at = max(ends_at, days.ends_at)
    worst: Mark = max(marks[-1], status, key=_ORDER.index)
    return DayMarks(ends_at=ends_at, marks=(*marks[:-1], worst)[-MARKS_A_DAY:])


def are_same(checks: Iterable[CheckResult], others: Iterable[CheckResult]) -> bool:
    """Return whether results differ in their response times at most."""
    return [*map(_drop_time, checks)] == [*map(_drop_time, others)]


def _drop_time(check: CheckResult) -> tuple[str, str, str, str]:
    return check.service, check.check_type, check.status, _TIME.sub("answered in", check.error)


def list_changes(before: ServiceState, after: ServiceState) -> tuple[CheckResult, ...]:
    """Return the results whose status differs from that of the same check before; the first ones if unhealthy."""
    earlier = [result.status for result in before.results]
    if len(earlier) != len(after.results):  # other checks in the settings
        earlier = ["healthy" for _ in after.results]
    return tuple(result for result, status in zip(after.results, earlier, strict=True) if result.status != status)


def _end_of_half_hour(at: datetime) -> datetime:
    begin = datetime.fromtimestamp(at.timestamp() // HALF_HOUR.total_seconds() * HALF_HOUR.total_seconds(), UTC)
    return begin + HALF_HOUR
