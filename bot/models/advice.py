"""Risky advice in a draft, which a person must read before the draft is posted."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact

AdviceKind = Literal["roll back", "delete", "restart", "change production"]


class Advice(Fact):
    """One piece of risky advice in a draft, with the draft's own words for it."""

    kind: AdviceKind
    words: str
