"""Criterion of answer times, compared with the time before Triage. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.quantile_interval import Quantile
from bot.models.criterion import Measurement, WeekMeasurement
from bot.reports.criteria.measuring import TREND_WEEKS, WEEK, Definition, judge, summarize
from bot.reports.minutes import format_minutes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.baseline import Baseline
    from bot.models.criterion import Criterion

SPEED = Definition(
    id="AC-10",
    name="Askers wait no longer than before",
    text="Median seconds from a question to its first answer by a person or a reply of Triage; both sides with the "
    "same classifier.",
    threshold="the median before Triage and 30 seconds more",
    is_met=lambda seconds: False,
    fewest=20,
    unit="seconds",
)
ALLOWED_SECONDS = 30


def measure_speed(
    before: Baseline | None, weeks: Sequence[Baseline | None], *, now: datetime, problem: str = ""
) -> Criterion:
    """Measure AC-10 by the times before Triage, and those of each of the last weeks, oldest first.

    Without a baseline of as many answers nothing is compared; `problem` says why there is none.
    """
    answered = [list(week.seconds) if week else [] for week in weeks][-TREND_WEEKS:]
    trend = [
        WeekMeasurement(**dict(summarize(seconds, "seconds")), since=now - (len(answered) - number) * WEEK)
        for number, seconds in enumerate(answered)
    ]
    recent = weeks[-SPEED.weeks :]
    seconds = [each for week in recent if week for each in week.seconds]
    measurement = summarize(seconds, "seconds")
    former = Quantile.from_values(before.seconds) if before else Quantile(None, 0, None, None)
    if former.value is None or former.total < SPEED.fewest:
        missing = SPEED.fewest - former.total
        note = problem or f"No baseline: {missing} answers from before Triage are missing (`triage report --baseline`)."
        unknown = judge(SPEED, Measurement(figure=None, cases=0), trend=trend, note=note)
        return unknown.evolve(measurement=measurement, missing=max(missing, SPEED.fewest - measurement.cases))
    limit = former.value + ALLOWED_SECONDS
    definition = replace(SPEED, threshold=f"at most {limit:,.0f} seconds", is_met=lambda median: median <= limit)
    return judge(definition, measurement, trend=trend, note=_describe(before, recent, seconds))


def _describe(before: Baseline | None, recent: Sequence[Baseline | None], seconds: Sequence[float]) -> str:
    """Describe both sides in minutes: median and 90th percentile, and the medians by channel."""
    former = before.channels if before else ()
    sides = f"Minutes, median and 90th percentile: before {_pair([s for c in former for s in c.seconds])}"
    names = {channel.channel: channel.name for channel in former}
    since: dict[str, list[float]] = {channel: [] for channel in names}
    for channel in (each for week in recent if week for each in week.channels):
        names.setdefault(channel.channel, channel.name)
        since.setdefault(channel.channel, []).extend(channel.seconds)
    earlier = {channel.channel: channel.seconds for channel in former}
    rows = [
        f"#{names[key]} {_pair(earlier.get(key, ()))}, {_pair(since[key])}"
        for key in sorted(names, key=names.__getitem__)
    ]
    return f"{sides}, since {_pair(seconds)}. {'; '.join(rows)}."


def _pair(seconds: Sequence[float]) -> str:
    middle, high = (Quantile.from_values(seconds, share).value for share in (0.5, 0.9))
    return "/".join(format_minutes(None if each is None else round(each / 60, 1)) for each in (middle, high))
