"""Order of the queue, and the rule for approving from a list. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.faults import has_answer, list_to_confirm

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread

_DECIDING = ("pending-user", "in-doubt")
_CONFIDENCE = {"high": 0, "medium": 1, "low": 2}


def waits_since(thread: Thread) -> datetime:
    """Return the time when the current question first needed a decision; before that, its start."""
    history = thread.status_history
    starts = [number for number, line in enumerate(history) if line.previous in ("new", "closed")]
    current = history[starts[-1] :] if starts else history
    return next(
        (line.at for line in current if line.next in _DECIDING), current[0].at if current else thread.started_at
    )


def may_approve_from_list(thread: Thread) -> bool:
    """Return whether the draft passed every check, and there is nothing to read besides its text."""
    draft, verdict = thread.draft_pending, thread.verdict
    if thread.status != "pending-user" or draft is None or verdict is None or verdict.verdict != "pass":
        return False
    if draft.withheld or draft.edited_by or thread.stale or thread.opening or thread.settled_word:
        return False
    return has_answer(thread) and not list_to_confirm(thread)


def passed_on(thread: Thread, reader: str) -> bool:
    """Return whether `reader` gave the first of two approvals or handed the question over."""
    first, last = thread.approved_first, thread.hand_overs[-1] if thread.hand_overs else None
    return bool((first and first.by == reader) or (last and last.by == reader != thread.operator))


def certainty(thread: Thread) -> int:
    """Return the sort key for certainty: smaller is surer, and questions without a draft come last."""
    if thread.draft_pending is None or thread.investigator_return is None:
        return 100
    sure = _CONFIDENCE.get(thread.investigator_return.confidence, 3)
    if not may_approve_from_list(thread):
        return 20 + sure
    return sure if thread.validator_return else 10 + sure
