"""Weekly review: the figures of the last seven days. Pure.

The figures are those of `triage metrics --days 7`, word for word; of the acceptance criteria those that are not met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.announcement import Announcement, Part
from blocks.text import escape
from bot.reports.criteria.text import summarize_report
from bot.reports.metrics import format_figures

if TYPE_CHECKING:
    from bot.models.criterion import AcceptanceReport
    from bot.reports.metrics import Figures

DAYS = 7


def build_review(figures: Figures, report: AcceptanceReport) -> Announcement:
    """Format the review; a week without messages is one line."""
    if not sum(figures.messages.values()) and not figures.cards and not figures.runs:
        return Announcement(line="*Weekly review*: no messages in the watched channels in the last 7 days.")
    first, *rest = format_figures(figures)
    return Announcement(
        line=f"*Weekly review*. {escape(first)}",
        parts=(
            Part("Figures", tuple(map(escape, rest))),
            Part("Acceptance criteria", tuple(map(escape, summarize_report(report)))),
        ),
        note="The same as `/triage metrics 7` and `/triage report`; `triage report --html` has plots.",
    )
