"""Wording of costs: the sum, and its parts that are not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import format_count

if TYPE_CHECKING:
    from bot.models.cost import Cost


def format_cost(cost: Cost, *, places: int = 2) -> str:
    """Format a cost, such as "$9.93 at most, of which $7.02 known, and 2 runs of unknown cost"."""
    text = f"${cost.usd:,.{places}f}"
    if cost.unsure_usd:
        known = f", of which ${cost.known_usd:,.{places}f} known" if cost.known_usd else ""
        text = f"{text} at most{known}"
    if not cost.unknown_runs:
        return text
    return f"{text}, and {format_count(cost.unknown_runs, 'run')} of unknown cost"
