"""Complaints of a home whose bot is stopped, saved as judgements before a purge removes what readers said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.triage.auto_reply_book import AutoReplyBook
from bot.triage.judged_drafts import JudgedDrafts
from bot.triage.maturity_gates import LOOKED_BACK

if TYPE_CHECKING:
    from bot.ports.storage import Storage


async def save_complaints(storage: Storage) -> None:
    """Append to `judgements` the complaints of an owned state that are no judgements yet."""
    book = AutoReplyBook(
        consents_file=storage.json_file("auto-reply-channels"),
        replies_file=storage.json_file("auto-replies"),
        gates_file=storage.json_file("auto-reply-gates"),
    )
    await book.load()
    journal, feedback = storage.journal("judgements", None), storage.journal("feedback", None)
    try:
        judged = JudgedDrafts(journal=journal, feedback=feedback)
        await judged.save_complaints(datetime.now(UTC) - LOOKED_BACK, book.list_sent())
    finally:
        await journal.close()
        await feedback.close()
