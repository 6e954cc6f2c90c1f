"""Acceptance criterion as measured: a row of `triage report` (spec 1, 7)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, NonNegativeInt

from bot.models.fact import Fact

Standing = Literal["met", "not met", "too few cases"]
Unit = Literal["share", "tokens", "seconds"]


class Measurement(Fact):
    """Figure of a number of cases with its 95 % confidence interval; `None` where there are too few for one."""

    figure: float | None
    """A share from 0 to 1, or a median in the criterion's unit."""
    cases: NonNegativeInt
    low: float | None = None
    high: float | None = None


class WeekMeasurement(Measurement):
    """The same of one week."""

    since: AwareDatetime


class Criterion(Fact):
    """One criterion with its measurement."""

    id: Annotated[str, Field(pattern=r"^AC-\d\d$")]
    name: str
    definition: str
    """Cases that are counted, and their source."""
    unit: Unit
    threshold: str
    """The condition for `met`, such as `at most 40 %`."""
    days: NonNegativeInt
    """Days up to the report that the measurement is of."""
    measurement: Measurement
    standing: Standing
    missing: NonNegativeInt = 0
    """Cases that are missing before it can be met or not."""
    trend: tuple[WeekMeasurement, ...] = ()
    """The last weeks, oldest first; each ends at the report's time of day."""
    note: str = ""
    """Further figures as a sentence."""


class WeekCounts(Fact):
    """Counts of one week beside the criteria."""

    since: AwareDatetime
    caught_by_code: NonNegativeInt
    """Drafts that were stopped for a reference that does not stand."""
    caught_by_validator: NonNegativeInt
    """Drafts whose references code has found, but of which one supports nothing by the validator's spot-check."""
    escalations: NonNegativeInt
    """Runs of tiers 2 and 3 that were started."""


class AcceptanceReport(Fact):
    """All criteria at one time."""

    until: AwareDatetime
    criteria: tuple[Criterion, ...]
    weeks: tuple[WeekCounts, ...] = ()
    """The last weeks, oldest first."""
    damage: str = ""
    """Documents that are left out since they do not parse, as a sentence."""
