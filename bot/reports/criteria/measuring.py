"""Measuring of a criterion: its cases in periods, the figure of each period, and its standing. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from bot.decide.quantile_interval import Quantile
from bot.decide.share_interval import Share
from bot.models.criterion import Criterion, Measurement, WeekMeasurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from bot.models.criterion import Standing, Unit

WEEK = timedelta(days=7)
TREND_WEEKS = 8
"""Weeks of a trend."""


class Case(NamedTuple):
    """One case: its time, and a truth value for a share or a number for a median."""

    at: datetime
    value: float


@dataclass(frozen=True, kw_only=True)
class Definition:
    """Definition of a criterion. A share is counted of truth values, a median of numbers."""

    id: str
    name: str
    text: str
    threshold: str
    is_met: Callable[[float], bool]
    fewest: int
    """Minimum number of cases."""
    unit: Unit = "share"
    weeks: int = 4
    """Weeks that the figure is of."""


def measure(definition: Definition, cases: Iterable[Case], *, now: datetime, note: str = "") -> Criterion:
    """Measure a criterion by its cases up to `now`."""
    known = [case for case in cases if case.at <= now]
    values = [case.value for case in known if case.at > now - definition.weeks * WEEK]
    trend = [
        WeekMeasurement(**dict(summarize([case.value for case in of_week], definition.unit)), since=since)
        for since, of_week in split_weeks(known, now)
    ]
    return judge(definition, summarize(values, definition.unit), trend=trend, note=note)


def judge(
    definition: Definition, measurement: Measurement, *, trend: Sequence[WeekMeasurement] = (), note: str = ""
) -> Criterion:
    """Build the row of a measurement."""
    missing = max(0, definition.fewest - measurement.cases)
    standing: Standing = "too few cases"
    if not missing and measurement.figure is not None:
        standing = "met" if definition.is_met(measurement.figure) else "not met"
    return Criterion(
        id=definition.id,
        name=definition.name,
        definition=definition.text,
        unit=definition.unit,
        threshold=definition.threshold,
        days=definition.weeks * WEEK.days,
        measurement=measurement,
        standing=standing,
        missing=missing,
        trend=tuple(trend),
        note=note,
    )


def split_weeks(cases: Iterable[Case], now: datetime) -> list[tuple[datetime, list[Case]]]:
    """Return the cases of each of the last weeks with its begin, oldest first."""
    weeks: list[list[Case]] = [[] for _ in range(TREND_WEEKS)]
    for case in cases:
        if (age := (now - case.at) // WEEK) in range(TREND_WEEKS):
            weeks[TREND_WEEKS - 1 - age].append(case)
    return [(now - (TREND_WEEKS - number) * WEEK, of_week) for number, of_week in enumerate(weeks)]


def summarize(values: Sequence[float], unit: Unit) -> Measurement:
    """Return the share of true values with its interval (Wilson), or the median with its (order statistics)."""
    if unit == "share":
        share = Share.from_counts(sum(map(bool, values)), len(values))
        if not share.total:
            return Measurement(figure=None, cases=0)
        figure = share.count / share.total
        return Measurement(figure=figure, cases=share.total, low=share.low, high=share.high)
    middle = Quantile.from_values(values)
    return Measurement(figure=middle.value, cases=middle.total, low=middle.low, high=middle.high)
