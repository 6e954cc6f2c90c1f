"""The same question, asked before: what a card links to, and whether its answer serves again. See
`triage/repeated_questions`."""

from __future__ import annotations

from datetime import datetime

from bot.models.fact import Fact

ANSWERED_BEFORE = "answered before"
"""What stands in place of the engine's name where an approved answer serves again and no engine was asked."""


class AskedBefore(Fact):
    """One thread in which it was asked; without `answered_at` it is still open."""

    thread_id: str
    url: str
    """The address of its reply, or of the question while it is open."""
    draft_id: str | None = None
    """The draft that was posted there."""
    reply_ts: str | None = None
    answered_by: str | None = None
    """Who approved it."""
    answered_at: datetime | None = None
    not_again: str | None = None
    """Why its answer is not the draft now, as the end of a sentence."""
