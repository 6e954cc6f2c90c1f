"""What each feature of a message counts: the shape of `weights.json`, packaged or in a home."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.models.fact import Fact

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Regression(Fact):
    """One logistic regression: the chance that a message is of one class."""

    intercept: Finite
    threshold: Annotated[float, Field(gt=0, lt=1)]
    """The chance from which it is."""
    weights: dict[str, Finite]
    """By feature; a feature that is not named counts nothing."""


class WeightTable(Fact):
    """The weights of tier 0."""

    made_by: str = ""
    """For a reader of the file."""
    actionable: Regression
    ack: Regression
    help: dict[str, Finite] = Field(default_factory=dict)
    """What each counts more for those who begin something in a channel for help."""
