"""Judged drafts of a home: operators' decisions in the documents, and readers' complaints in `feedback.ndjson`. Pure.

A document holds its current question only: drafts of a thread's earlier questions are not among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.auto_reply.complaints import list_complaints
from bot.decide.auto_reply.judgements import read_judgement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.judged_draft import JudgedDraft
    from bot.models.thread import Thread


def read_judged_drafts(threads: Iterable[Thread], feedback: Iterable[dict[str, Any]]) -> list[JudgedDraft]:
    """Return all judgements of first drafts; a complaint that names no reason is none."""
    decided = [judged for thread in threads if (judged := read_judgement(thread))]
    return [*decided, *list_complaints(decided, feedback)]
