"""Judged drafts of a home: operators' decisions in the documents, and readers' complaints in `feedback.ndjson`. Pure.

A document holds its current question only: drafts of a thread's earlier questions are not among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from bot.decide.auto_reply.judgements import mark_unhelpful, read_judgement
from bot.models.feedback import Reason
from bot.reports.minutes import read_moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.judged_draft import JudgedDraft
    from bot.models.thread import Thread


def read_judged_drafts(threads: Iterable[Thread], feedback: Iterable[dict[str, Any]]) -> list[JudgedDraft]:
    """Return all judgements of first drafts; a complaint that names no reason is none."""
    decided = [judged for thread in threads if (judged := read_judgement(thread))]
    posted = {judged.draft_id: judged for judged in decided if judged.draft_id}
    complaints = []
    for record in feedback:
        judged, at = posted.get(str(record.get("draft_id"))), read_moment(record.get("at"))
        reason = record.get("reason") if record.get("reason") in get_args(Reason) else None
        has_words = bool(record.get("text"))
        if judged and at and record.get("vote") == "down" and (reason or has_words):
            complaints.append(mark_unhelpful(judged, at=at, reason=reason, has_words=has_words))
    return [*decided, *complaints]
