"""Approval of a draft by code: the one exception to "nothing is posted without a press" (spec 1, 7).

Whether it has been earned is decided before (`decide/auto_reply`). Here it meets the document in its queue: any change
since makes it void, and the draft waits for a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.workflow.steps import Transition, WorkflowLimits, move_thread
from bot.models.decision import Decision
from bot.models.effect import PostReply
from bot.models.faults import has_answer, list_to_confirm

if TYPE_CHECKING:
    from bot.models.auto_reply import AutoApproval
    from bot.models.thread import Thread


def approve_automatically(thread: Thread, event: AutoApproval, limits: WorkflowLimits) -> Transition | None:
    """Approve the draft that was looked at, unless it has changed or a person must decide; then return `None`."""
    draft = thread.draft_pending
    if draft is None or thread.status != "pending-user":
        return None
    if (event.draft_id, event.version) != (draft.draft_id, thread.version):
        return None
    if limits.is_stopped or limits.second_approver or thread.mode != "live":
        return None
    if draft.withheld or draft.edited_by or thread.opening or thread.stale or thread.inbox:
        return None
    if not has_answer(thread) or list_to_confirm(thread):
        return None
    decision = Decision(action="auto_reply", by=event.by, at=event.at, reason=event.figures)
    changes = {"decision": decision, "user_approved_at": event.at, "due_at": None, "keeps_note": False, "doubts": 0}
    return Transition(move_thread(thread, event, "approved", **changes).thread, PostReply())
