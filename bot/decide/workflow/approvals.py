"""Approvals: post the reply, ask a second approver, or refuse the press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.workflow.desk import hand_over_question
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread, close_thread, move_thread
from bot.models.decision import Decision, FirstApproval
from bot.models.effect import KeepNote, PostReply
from bot.models.faults import confirmation_digest, has_answer, list_to_confirm

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.models.thread_event import Approve, NoteKept

ASKER = "The asker may not approve the answer here (`approval.asker_may_approve`). Nothing was changed."
CHANGED = "The card has changed since. Please look at it again before you decide."
OPENING = (
    "The references of the new text are being checked; Approve returns to the card in a moment. Nothing was changed."
)
NO_ANSWER = "Nothing was found that answers this, so there is nothing to approve: press Answer, Edit or Take Over."
TWICE = "You have approved this already; it waits for somebody else to approve it, too. Nothing was changed."


def approve(thread: Thread, press: Approve, limits: WorkflowLimits) -> Transition | None:
    """Apply an approval. Where two people must approve, the first approval passes the question to the second."""
    if press.anyway != bool(thread.stale):
        return None
    if refusal := _not_confirmed(thread, press):
        return Transition(thread, accepted=False, refusal=refusal)
    if not limits.asker_may_approve and press.by == thread.original_sender_id:
        return Transition(thread, accepted=False, refusal=ASKER)
    first = thread.approved_first
    if limits.second_approver and first is None:
        return _record_first_approval(thread, press)
    if limits.second_approver and first and first.by == press.by:
        return Transition(thread, accepted=False, refusal=TWICE)
    return _apply_approval(thread, press)


def _not_confirmed(thread: Thread, press: Approve) -> str:
    """Return the refusal of a press: no answer to approve, or faults that its card did not name; empty for none."""
    if thread.opening:
        return OPENING
    if not has_answer(thread):
        return NO_ANSWER
    if press.confirmed == confirmation_digest(thread):
        return ""
    named = " ".join(list_to_confirm(thread))
    return f"{named} Press Approve on the updated card to confirm. Nothing was changed." if named else CHANGED


def _record_first_approval(thread: Thread, press: Approve) -> Transition:
    """Record the first approval, and pass the question to the next approver."""
    draft = thread.draft_pending
    assert draft is not None  # noqa: S101  # checked by the caller; narrows the type
    first = FirstApproval(by=press.by, at=press.at, draft_id=draft.draft_id, stale=thread.stale)
    updated = thread.evolve(first_approval=first)
    passed = hand_over_question(updated, press, to=press.second, by=press.by, for_second=True) if press.second else None
    return passed or change_thread(updated, press)


def _apply_approval(thread: Thread, press: Approve) -> Transition:
    decision = Decision(action="approve", by=press.by, at=press.at)
    if thread.mode != "live":
        return close_thread(thread, press, "practice", decision=decision)
    keeps = press.keeps_note and thread.proposed_note is not None
    changes = {"decision": decision, "user_approved_at": press.at, "due_at": None, "keeps_note": keeps, "doubts": 0}
    return Transition(move_thread(thread, press, "approved", **changes).thread, KeepNote() if keeps else PostReply())


def apply_note_result(thread: Thread, event: NoteKept) -> Transition | None:
    """Post the reply once the note is written or has failed, unless the reply was held back meanwhile."""
    if not thread.keeps_note:
        return None
    changes = {"keeps_note": False, "triage_file_path": event.path, "note_problem": event.problem}
    return Transition(change_thread(thread, event, **changes).thread, None if thread.held_back else PostReply())
