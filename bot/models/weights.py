"""Weights of the features of a message: the format of `weights.json`, packaged or in a home."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.models.fact import Fact

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Regression(Fact):
    """One logistic regression: the probability that a message is of one class."""

    intercept: Finite
    threshold: Annotated[float, Field(gt=0, lt=1)]
    """The probability from which it belongs to the class."""
    weights: dict[str, Finite]
    """Weights by feature; a missing feature has weight 0."""


class WeightTable(Fact):
    """The weights of tier 0."""

    made_by: str = ""
    """A comment for readers of the file."""
    actionable: Regression
    ack: Regression
    help: dict[str, Finite] = Field(default_factory=dict)
    """Additional weights for messages that start a topic in a help channel."""
