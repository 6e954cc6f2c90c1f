"""Repeated question: earlier threads with the same question, for the card and for reusing an answer."""

from __future__ import annotations

from datetime import datetime

from bot.models.fact import Fact

ANSWERED_BEFORE = "answered before"
"""Engine name of a reused approved answer, for which no engine ran."""


class AskedBefore(Fact):
    """One thread with the same question; still open if `answered_at` is `None`."""

    thread_id: str
    url: str
    """The address of its reply, or of the question if it is open."""
    draft_id: str | None = None
    """The draft that was posted there."""
    reply_ts: str | None = None
    answered_by: str | None = None
    """The person who approved it."""
    answered_at: datetime | None = None
    not_again: str | None = None
    """The reason why its answer is not reused, as the end of a sentence."""
