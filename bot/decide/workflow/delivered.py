"""Delivery of a reply: posted, refused by Slack, in doubt, or held back before it was posted."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.workflow.approvals import apply_note_result
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread, close_thread, move_thread
from bot.models.effect import PostReply
from bot.models.thread_event import DoubtfulPost, HeldBack, Mute, NoteKept, NotFound, Posted, PostFailed, WasPosted

if TYPE_CHECKING:
    from bot.models.thread import Thread


POSTS = 2
"""Attempts to post a reply whose post ended in doubt; after these the operator is asked."""

SETTLING = timedelta(seconds=5)
"""Time in which a request may still reach Slack after its connection broke."""


def _held_back(thread: Thread, event: HeldBack) -> Transition | None:
    """Hold back the approved reply, and look up shortly after whether it was posted just before."""
    if thread.due_at is not None:  # it is being looked up already
        return None
    return change_thread(thread, event, held_back="stop", due_at=event.at + SETTLING)


def _mute(thread: Thread, event: Mute) -> Transition | None:
    """End the work in a muted thread; only an operator ends that on an outage which goes on, or hides a later alert."""
    if not event.by_operator:
        return None if thread.is_about_outage else _close_muted(thread, event)
    noted = thread.evolve(alert=thread.alert.evolve(is_muted=True)) if thread.alert else thread
    step = _close_muted(noted, event)
    return Transition(noted, accepted=False) if step is None and noted is not thread else step


def _close_muted(thread: Thread, event: Mute) -> Transition | None:
    """Close the thread as muted; a reply that may be on its way is looked up first."""
    match thread.status:
        case "closed":
            return None
        case "approved":
            due_at = thread.due_at or event.at + SETTLING
            return change_thread(thread, event, held_back="mute", due_at=due_at, inbox=())
        case _:
            return close_thread(thread, event, "muted")


Fate = Posted | PostFailed | DoubtfulPost | NotFound | HeldBack | NoteKept | Mute


def apply_delivery(thread: Thread, event: Fate, limits: WorkflowLimits) -> Transition | None:
    """Apply the result of a post, a hold, or a mute request."""
    if isinstance(event, Mute):
        return _mute(thread, event)
    if thread.status != "approved":
        return None
    match event:
        case HeldBack() | NoteKept():
            return _held_back(thread, event) if isinstance(event, HeldBack) else apply_note_result(thread, event)
        case Posted():
            return close_replied(thread, event, limits)
        case PostFailed() | NotFound() if thread.held_back == "mute":
            return close_thread(thread, event, "muted", held_back=None)
        case PostFailed():
            draft = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
            changes = {"stale": event.reason, "draft_pending": draft} | _changes_for_edit(thread, event.reason)
            return move_thread(thread, event, "pending-user", **changes)
        case DoubtfulPost():
            return change_thread(thread, event, due_at=event.settle_at, doubts=thread.doubts + 1)
        case NotFound() if thread.held_back == "stop":
            draft = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
            why = "Triage was stopped before this reply was posted; it is not in the thread."
            changes = {"stale": why, "draft_pending": draft, "held_back": None, "due_at": None, "keeps_note": False}
            return move_thread(thread, event, "pending-user", **changes | _changes_for_edit(thread, why))
        case NotFound():  # the reply is still wanted
            return _not_there(thread, event)
        case _:
            assert_never(event)


def _not_there(thread: Thread, event: NotFound) -> Transition:
    """Post again a reply that is not in the thread; after the last attempt, ask its operator."""
    if thread.doubts < POSTS and not event.is_unread:
        return Transition(
            change_thread(thread, event, due_at=None).thread, PostReply(look_first=True, search_twice=True)
        )
    return move_thread(thread, event, "in-doubt", due_at=None)


def _changes_for_edit(thread: Thread, why: str) -> dict[str, Any]:
    """Return the changes for a question that was edited meanwhile, where the reply was not posted."""
    if not thread.reworded:
        return {}
    fresh = {m.message_id: m for m in thread.reworded}
    return {
        "messages": tuple(fresh.get(m.message_id, m) for m in thread.messages),
        "inbox": tuple(ts for ts in thread.inbox if ts not in fresh),
        "reworded": (),
        "stale": f"{why} Its asker has made another question of it since it was approved.",
    }


def close_replied(thread: Thread, event: Posted | WasPosted, limits: WorkflowLimits) -> Transition:
    """Close the question as replied; messages of the asker that came meanwhile become due as the next question."""
    return close_thread(
        thread,
        event,
        "replied",
        inbox=thread.inbox,
        posted_message_id=event.ts if isinstance(event, Posted) else None,
        held_back=None,
        due_at=event.at + limits.debounce if thread.inbox else None,
    )
