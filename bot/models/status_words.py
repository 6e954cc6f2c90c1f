"""The status of a question in the words that people read; documents and the input of commands have its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.status import Status
    from bot.models.thread import Thread

STATUS_WORDS: dict[Status, str] = {
    "collecting": "collecting",
    "investigating": "investigating",
    "awaiting-validation": "being checked",
    "bounced-round-1": "investigating again",
    "pending-user": "waiting for a decision",
    "approved": "approved, on its way",
    "in-doubt": "reply not confirmed by Slack",
    "closed": "closed",
}


def state_words(thread: Thread) -> str:
    """How far a question has come, or what became of it."""
    outcome = (thread.outcome or "").replace("-", " ")
    return outcome or STATUS_WORDS[thread.status]
