"""Wording of the cost among the figures of `metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.cost import format_cost
from blocks.text import format_count

if TYPE_CHECKING:
    from bot.reports.metrics import Figures


def describe_cost(figures: Figures) -> str:
    """Describe the cost of the period in a sentence."""
    each = "" if figures.cost_per_approval is None else f"; {format_share(figures)} for each approved answer"
    return f"Cost: {format_cost(figures.cost)}; {format_count(figures.runs, 'run')} of agents{each}."


def format_share(figures: Figures) -> str:
    """Format the cost for each approved answer."""
    if figures.cost_per_approval is None:
        return "unknown"
    return f"${figures.cost_per_approval:,.2f}{' at most' if figures.unsure_usd else ''}"
