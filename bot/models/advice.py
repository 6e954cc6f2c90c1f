"""Advice of a draft that a person must have read by name before it is posted."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact

AdviceKind = Literal["roll back", "delete", "restart", "change production"]


class Advice(Fact):
    """What a draft advises, with its own words for it."""

    kind: AdviceKind
    words: str
