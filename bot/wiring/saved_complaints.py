"""Complaints of a home whose bot is stopped, saved as judgements before a purge removes what readers said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.adapters.journal import NdjsonJournal
from bot.adapters.json_file import DiskJsonFile
from bot.triage.auto_reply_book import AutoReplyBook
from bot.triage.judged_drafts import JudgedDrafts
from bot.triage.maturity_gates import LOOKED_BACK

if TYPE_CHECKING:
    from bot.adapters.home import Home


async def save_complaints(home: Home) -> None:
    """Append to `judgements.ndjson` the complaints of an owned home that are no judgements yet."""
    book = AutoReplyBook(
        consents_file=DiskJsonFile(home.auto_reply_channels),
        replies_file=DiskJsonFile(home.auto_replies),
        gates_file=DiskJsonFile(home.auto_reply_gates),
    )
    await book.load()
    journal, feedback = NdjsonJournal(home.judgements, stop=None), NdjsonJournal(home.feedback, stop=None)
    try:
        judged = JudgedDrafts(journal=journal, feedback=feedback)
        await judged.save_complaints(datetime.now(UTC) - LOOKED_BACK, book.list_sent())
    finally:
        await journal.close()
        await feedback.close()
