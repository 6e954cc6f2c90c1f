"""Display names of statuses; documents and command input use the plain status."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.status import Status
    from bot.models.thread import Thread

STATUS_WORDS: dict[Status, str] = {
    "collecting": "collecting",
    "investigating": "investigating",
    "escalated": "in a longer investigation",
    "awaiting-validation": "being checked",
    "bounced-round-1": "investigating again",
    "pending-user": "waiting for a decision",
    "approved": "approved, on its way",
    "in-doubt": "reply not confirmed by Slack",
    "closed": "closed",
}


def name_kind(thread: Thread) -> str:
    """Return the word for the current question: a question, an incident, or a created task."""
    return "incident" if thread.is_about_incident else "task" if thread.is_about_order else "question"


def state_words(thread: Thread) -> str:
    """Return the display name of a question's status, or of its outcome."""
    outcome = (thread.outcome or "").replace("-", " ")
    return outcome or STATUS_WORDS[thread.status]
