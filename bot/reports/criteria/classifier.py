"""Criteria of the classifier: the share of messages that it lets through, and messages that it misses. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from bot.decide.message_sampling import estimate_rate
from bot.models.classification import Class
from bot.models.criterion import Measurement, WeekMeasurement
from bot.reports.criteria.measuring import WEEK, Case, Definition, judge, measure, split_weeks
from bot.reports.minutes import read_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bot.models.criterion import Criterion
    from bot.models.message_sample import SampledMessage

VOLUME = Definition(
    id="AC-01",
    name="The classifier keeps most messages from the agents",
    text="Share of messages that are actionable, in events-classified.ndjson; the last classification of each counts.",
    threshold="at most 40 %",
    is_met=lambda share: share <= 0.4,
    fewest=100,
    weeks=1,
)
MISSES = Definition(
    id="AC-11",
    name="Hardly a question is missed",
    text="Share of missed messages among those left alone, as operators judged the weekly samples; each counts by the "
    "number of messages that it stands for.",
    threshold="at most 1 %",
    is_met=lambda share: share <= 0.01,
    fewest=100,
    weeks=12,
)


def measure_volume(classified: Iterable[dict[str, Any]], *, now: datetime) -> Criterion:
    """Measure AC-01 by records of `events-classified.ndjson`."""
    newest: dict[tuple[Any, Any], Case] = {}
    for number, record in enumerate(classified):
        at, name = read_moment(record.get("classified_at")), record.get("classification")
        if at and name in get_args(Class):
            key = (record.get("chat_id"), record.get("message_id") or number)
            newest[key] = Case(at, name == "actionable")
    return measure(VOLUME, newest.values(), now=now)


def measure_misses(rows: Sequence[SampledMessage], *, now: datetime) -> Criterion:
    """Measure AC-11 by the rows of all samples; those that nobody judged do not count."""
    judged = [row for row in rows if row.judgement and row.at and now - MISSES.weeks * WEEK < row.at <= now]
    by_place = {(row.chat_id, row.message_id): row for row in judged}
    weeks = split_weeks((Case(row.at, at) for at, row in enumerate(judged) if row.at), now)
    trend = [
        WeekMeasurement(**dict(_estimate([judged[int(case.value)] for case in of_week])), since=since)
        for since, of_week in weeks
    ]
    missed = sum(row.judgement == "missed" for row in by_place.values())
    note = f"{missed} of {len(by_place)} judged messages were missed." if by_place else ""
    return judge(MISSES, _estimate([*by_place.values()]), trend=trend, note=note)


def _estimate(rows: Sequence[SampledMessage]) -> Measurement:
    rate = estimate_rate(rows)
    if rate is None:
        return Measurement(figure=None, cases=0)
    return Measurement(figure=rate.share, cases=rate.judged, low=rate.low, high=rate.high)
