"""Times of records, and minutes between them."""

from __future__ import annotations

from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def count_minutes(start: datetime | None, end: datetime | None) -> float | None:
    """Return the minutes between two times in order; `None` if one is unknown."""
    return (end - start).total_seconds() / 60 if start and end and end >= start else None


def find_median(minutes: Iterable[float | None]) -> float | None:
    """Return the median of the known numbers, to a tenth; `None` if none is known."""
    values = [each for each in minutes if each is not None]
    return round(median(values), 1) if values else None


def format_minutes(minutes: float | None) -> str:
    """Format a number of minutes, or `unknown`."""
    return "unknown" if minutes is None else f"{minutes:g}"


def read_moment(value: Any) -> datetime | None:
    """Return the time that a record has, in UTC unless it says otherwise; `None` if it has none."""
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
