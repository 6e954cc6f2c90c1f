"""Evaluation: questions with the places that answer them, and the judged answers of an engine."""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from bot.models.drill_row import DrillRow
from bot.models.fact import Fact

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
PLACE = re.compile(r"([^:\n]{1,400})(?::([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?)?")


def _check_place(place: str) -> str:
    parts = PLACE.fullmatch(place)
    if not parts:
        raise ValueError(f"expected path:first-last, path:line or path, got {place!r}")
    path, first, last = parts.groups()
    if path.startswith("/") or {"", ".", ".."} & {*path.split("/")}:
        raise ValueError(f"expected a path within the project, without `.`, `..` and a leading `/`, got {place!r}")
    if last and int(last) < int(first):
        raise ValueError(f"the range is reversed: {place!r}; write its first line first")
    return place


def _write_number(value: object) -> object:
    """Return a number of JSON as text; anything else is returned as it is."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    return value


Place = Annotated[str, AfterValidator(_check_place)]
Value = Annotated[Text, BeforeValidator(_write_number)]
Fault = Literal["", "wrong place", "wrong value", "no refusal"]
FAULTS: tuple[Fault, ...] = ("wrong place", "wrong value", "no refusal")


class EvalQuestion(Fact):
    """One line of a file of questions."""

    id: Text | None = None
    """Name in the comparison of runs; by default the question."""
    question: Text
    project: Text | None = None
    """The only project to search; by default all."""
    places: Annotated[tuple[Place, ...], Field(max_length=50)] = ()
    """Places that answer it, as `path:first-last`, `path:line` or `path`."""
    values: Annotated[tuple[Value, ...], Field(max_length=20)] = ()
    """Values that a right answer states."""
    refuse: bool = False
    """True if no place answers it, and an honest answer says so."""

    @property
    def name(self) -> str:
        """Return the name in the comparison of runs."""
        return self.id or self.question

    @model_validator(mode="after")
    def _has_one_answer(self) -> Self:
        if self.refuse and (self.places or self.values):
            raise ValueError("refuse takes neither places nor values")
        if not self.refuse and not self.places:
            raise ValueError("expected places, or refuse: true")
        return self


class JudgedAnswer(Fact):
    """The answer of one engine to one question, judged. A judgement that does not apply is `None`."""

    name: str
    first: bool | None = None
    """True if the first reference is a right place."""
    among_three: bool | None = None
    values: bool | None = None
    """True if the draft states all values."""
    refused: bool | None = None
    fault: Fault = ""
    failure: str = ""
    """Reason for having no answer."""
    places: tuple[str, ...] = ()
    """References that the evidence check accepted, in the order of the draft."""
    confidence: str = ""
    stopped: bool | None = None
    """True if the validator's verdict stops the draft; `None` without a verdict."""
    review_failure: str = ""
    """Reason for having no verdict, where the validator was asked."""
    usd: float | None = 0.0
    """Maximum cost; `None` if the model's price is unknown."""
    unsure_usd: float = 0.0
    """Part of it that no server has reported."""
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Return whether the draft answers, or refuses, as it should."""
        return not self.failure and not self.fault


class EngineEvaluation(Fact):
    """All judged answers of one engine."""

    engine: str
    answers: tuple[JudgedAnswer, ...] = ()
    planted: tuple[DrillRow, ...] = ()
    """Catches of planted faults, by class; empty without `--validate`."""
    planted_id: str = ""
    """Fingerprint of the cases; only the same cases are compared."""
    usd: float | None = 0.0
    """Maximum cost of all runs, also those without an answer; `None` if the model's price is unknown."""
    unsure_usd: float = 0.0
    """Part of it that no server has reported."""
    unknown_runs: int = 0
    """Number of runs whose cost has no known maximum; `usd` is that of the others."""


class Evaluation(Fact):
    """One run of `triage eval`, as kept in the home."""

    saved_at: str
    engines: tuple[EngineEvaluation, ...]
    ended_early: str = ""
