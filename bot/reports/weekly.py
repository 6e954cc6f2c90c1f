"""Weekly review: the figures of the last seven days. Pure.

The figures are those of `triage metrics --days 7`, word for word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.announcement import Bulletin, Part
from blocks.text import escape
from bot.reports.metrics import lines

if TYPE_CHECKING:
    from bot.reports.metrics import Figures

DAYS = 7


def review(figures: Figures) -> Bulletin:
    """Format the review; a week without messages is one line."""
    if not sum(figures.messages.values()) and not figures.cards and not figures.runs:
        return Bulletin(line="*Weekly review*: no messages in the watched channels in the last 7 days.")
    first, *rest = lines(figures)
    return Bulletin(
        line=f"*Weekly review*. {escape(first)}",
        parts=(Part("Figures", tuple(map(escape, rest))),),
        note="The same as `/triage metrics 7` and `triage metrics --days 7 --json`.",
    )
