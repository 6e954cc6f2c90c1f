"""Table of the figures of `metrics`: rows of a name and a value, for Slack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.cost import format_cost
from bot.reports.metrics_cost import format_share
from bot.reports.minutes import format_minutes

if TYPE_CHECKING:
    from bot.reports.metrics import Figures

_COUNTS = {
    "cards": "Cards",
    "approvals": "Approvals",
    "edits": "Edits",
    "bounces": "Bounces",
    "redrafts": "Redrafts",
    "dismissals": "Dismissals",
    "expiries": "Expiries",
    "recoveries": "Ended by recovery",
    "runbooks": "Runbooks run",
    "practice": "Approved as practice",
    "replies": "Replies",
    "answered_before": "Replies answered before",
    "acknowledged": "Replies acknowledged by the asker",
    "denied": "Replies that did not serve",
    "sent_back_by_code": "First drafts sent back by code",
    "labels": "Messages labelled by people",
    "missed": "Missed",
    "false_alarms": "False alarms",
    "runs": "Runs of agents",
    "runs_without_price": "Runs without a known price",
}
_MINUTES = {
    "to_draft": "Minutes from question to draft, median",
    "to_decision": "Minutes from draft to approval, median",
    "to_reply": "Minutes from question to reply, median",
}


def rows(figures: Figures) -> tuple[tuple[str, str], ...]:
    """Return every figure of the text lines, in their order; `unknown` for one without a value."""
    rate = figures.first_round_pass_rate
    judged = figures.first_drafts.items()
    return (
        ("Messages", f"{sum(figures.messages.values()):,}"),
        *((f"Messages: {name}", f"{number:,}") for name, number in figures.messages.items()),
        *((title, f"{getattr(figures, name):,}") for name, title in _COUNTS.items()),
        *((f"First drafts: {word}", f"{number:,}") for word, number in judged),
        ("First drafts that pass", "unknown" if rate is None else f"{rate:.0%}"),
        *((f"Readers: {name.replace('_', ' ')}", f"{number:,}") for name, number in figures.feedback.items()),
        ("Cost", format_cost(figures.cost)),
        ("Cost for each approved answer", format_share(figures)),
        *((title, format_minutes(getattr(figures, name))) for name, title in _MINUTES.items()),
    )
