"""Sums of what a run has spent."""

from __future__ import annotations

from bot.decide.limits import Spent


def test_what_is_spent_adds_up() -> None:
    """A sum with an unknown price is unknown."""
    one = Spent(turns=1, seconds=2, tokens=3, usd=0.5, tool_bytes=4)
    assert one.plus(one) == Spent(turns=2, seconds=4, tokens=6, usd=1.0, tool_bytes=8)
    unknown = Spent(usd=None)
    assert one.plus(unknown).usd is unknown.plus(one).usd is None
