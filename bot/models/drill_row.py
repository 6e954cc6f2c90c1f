"""Counts of a drill for one class of cases, as kept with an evaluation."""

from __future__ import annotations

from pydantic import Field

from bot.models.fact import Fact


class Tally(Fact):
    """`count` of `total`."""

    count: int = Field(ge=0)
    total: int = Field(ge=0)


class DrillRow(Fact):
    """Counts of one class. A tally is `None` if it does not apply, or if the model was a script."""

    kind: str
    cases: int
    by_code: Tally | None
    stopped: Tally | None
    named: Tally | None
    no_verdict: int
