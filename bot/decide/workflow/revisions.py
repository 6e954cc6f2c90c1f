"""Changes of a question's context: edits, deletions and outdated evidence correct a run or make a draft stale."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.retrieval.question_similarity import is_reworded
from bot.decide.workflow.acknowledging import withdraw_acknowledgement
from bot.decide.workflow.created_tasks import lose_first_message
from bot.decide.workflow.edits import LINES_CHANGED, apply_opened_references
from bot.decide.workflow.next_question import restart_question, start_next_question, with_unread
from bot.decide.workflow.precedence import revise_set_aside
from bot.decide.workflow.routes import routed
from bot.decide.workflow.settling import settled_by_edit
from bot.decide.workflow.steps import (
    Transition,
    WorkflowLimits,
    change_thread,
    clip,
    close_thread,
    investigate,
    window_end,
)
from bot.models.markup import fill_names
from bot.models.sent_file import with_known
from bot.models.staleness import (
    EvidenceChanged,
    HintsWithdrawn,
    Outdated,
    ReadersChanged,
    ReadersGone,
    ReferencesOpened,
    SpokenMeanwhile,
    ThreadUnread,
)
from bot.models.thread_event import Deleted, Edited

if TYPE_CHECKING:
    from bot.models.message import Message
    from bot.models.status import Outcome
    from bot.models.thread import Thread
    from bot.models.thread_event import SettledMark
    from bot.models.thread_message import ThreadMessage

Revision = Edited | Deleted | Outdated
_News = EvidenceChanged | HintsWithdrawn | ReadersChanged | ReadersGone | ThreadUnread | SpokenMeanwhile


def apply_revision(thread: Thread, event: Revision, limits: WorkflowLimits) -> Transition | None:
    """Apply a change of the context; an approved reply is posted all the same, and a changed question comes after
    it. An edit that arrives after a newer one of the same message changes nothing."""
    if not isinstance(event, Edited):
        return _apply(thread, event, limits)
    return None if _is_overtaken(thread, event.message) else _note_edit(thread, event, _apply(thread, event, limits))


def _apply(thread: Thread, event: Revision, limits: WorkflowLimits) -> Transition | None:
    if step := revise_set_aside(thread, event):
        return step
    if thread.status == "closed":
        return _revise_closed(thread, event, limits)
    if thread.status in ("approved", "in-doubt"):
        return _edited_late(thread, event, limits) if isinstance(event, Edited) else None
    match event:
        case Edited():
            return _apply_edit(thread, event, limits)
        case Deleted():
            return _remove_message(thread, event)
        case ReferencesOpened():
            return apply_opened_references(thread, event)
        case _:  # `_News`, which `_apply_news` matches one by one
            return _apply_news(thread, event) if thread.status == "pending-user" else None


def _is_overtaken(thread: Thread, message: Message) -> bool:
    """Return whether a newer edit of the message has been applied."""
    applied = [m.edited_ts for m in thread.messages if m.message_id == message.message_id and m.edited_ts]
    return bool(message.edited_ts) and any(float(message.edited_ts) < float(ts) for ts in applied)


def _note_edit(thread: Thread, event: Edited, step: Transition | None) -> Transition | None:
    """Keep the time of an edit that was applied, or that changed nothing."""
    step, message = step or Transition(thread, accepted=False), event.message
    if step.thread is None or not message.edited_ts:
        return step
    messages = tuple(
        m.evolve(edited_ts=message.edited_ts) if m.message_id == message.message_id else m for m in step.thread.messages
    )
    return replace(step, thread=step.thread.evolve(messages=messages))


def _apply_news(thread: Thread, event: _News) -> Transition | None:
    """Apply news about a draft that waits for a decision."""
    match event:
        case EvidenceChanged():
            return _evidence_changed(thread, event)
        case HintsWithdrawn():
            why = "This draft used other open questions that this channel may no longer know of"
            return _mark_stale(thread, event, f"{why}: {', '.join(event.thread_ids)}")
        case ReadersChanged():
            return _readers_changed(thread, event)
        case ReadersGone():
            return _readers_gone(thread, event)
        case ThreadUnread():
            return _mark_stale(thread, event, "Triage could not read the thread again; please check it")
        case SpokenMeanwhile():
            why = "Triage itself has answered in this thread since this draft was made; please check it"
            return _mark_stale(thread, event, why, own_ts=event.ts)
        case _:
            assert_never(event)


def _revise_closed(thread: Thread, event: Revision, limits: WorkflowLimits) -> Transition | None:
    if isinstance(event, Edited):
        step = _reopen_edited(thread, event, limits)
        return _edited_late(thread, event, limits) if step is None and thread.inbox else step
    unsaid = withdraw_acknowledgement(thread, event.message_id) if isinstance(event, Deleted) else thread
    return Transition(unsaid, accepted=False)


def _apply_edit(thread: Thread, event: Edited, limits: WorkflowLimits) -> Transition | None:
    """Apply an edit of a message of the current question."""
    message = event.message
    before = {m.message_id: m for m in thread.messages if m.round == thread.question_round}
    original = before.get(message.message_id)
    if original is None or original.content == message.content:
        return None
    asks = limits.normalise(message.asks)
    fresh = {"asks": asks, **_sent_with(message, original, limits)}
    messages = tuple(m.evolve(content=message.content, **fresh) if m is original else m for m in thread.messages)
    if step := settled_by_edit(thread, event, original, limits):
        return step
    if thread.status == "collecting":
        return change_thread(thread, event, messages=messages, due_at=window_end(thread, event, limits))
    is_another = _asks_another(thread, event, original, asks)
    if is_another:
        messages = _without_answers(thread, messages)
    if thread.status == "pending-user" and is_another:
        return investigate(routed(thread.evolve(messages=messages), limits), event, "investigating", **_FEEDBACK_RESET)
    if thread.status == "pending-user":
        text = clip(fill_names(message.content, message.known_names))
        return _mark_stale(thread, event, f"Edited since this draft was made: {text}", messages=messages)
    return investigate(thread, event, "investigating", messages=messages)


def _sent_with(message: Message, original: ThreadMessage, limits: WorkflowLimits) -> dict[str, Any]:
    """Return what an edited message has beside its text; contents of unchanged files are kept."""
    files = with_known(message.files, original.files) if limits.reads_files else ()
    return {"unread": message.unread, "shared": message.shared, "files": files}


def _reopen_edited(thread: Thread, event: Edited, limits: WorkflowLimits) -> Transition | None:
    """Reopen a closed question whose asker edited it into another question."""
    message, number = event.message, thread.question_round + 1
    original = next((m for m in thread.question_messages if m.message_id == message.message_id), None)
    asks = limits.normalise(message.asks)
    if original is None or not event.asks or thread.outcome not in _ENDINGS:
        return None
    if not _asks_another(thread, event, original, asks) or settled_by_edit(thread, event, original, limits):
        return None
    fresh = original.evolve(content=message.content, round=number, asks=asks, **_sent_with(message, original, limits))
    return start_next_question(
        thread,
        event,
        messages=tuple(fresh if m.message_id == fresh.message_id else m for m in with_unread(thread, number)),
        anchor=message.message_id,
        due_at=event.at + limits.debounce,
    )


def _edited_late(thread: Thread, event: Edited, limits: WorkflowLimits) -> Transition | None:
    """Queue an edit into another question until the reply is posted.

    An edit back to the old question cancels that; queued messages are updated.
    """
    message, ts = event.message, event.message.message_id
    original = next((m for m in thread.question_messages if m.message_id == ts), None)
    if original is None:
        return None
    asks = limits.normalise(message.asks)
    fresh = original.evolve(content=message.content, asks=asks, **_sent_with(message, original, limits))
    others = tuple(m for m in thread.reworded if m.message_id != ts)
    waits, unread = others != thread.reworded, tuple(each for each in thread.inbox if each != ts)
    if ts in thread.inbox and not waits:
        return change_thread(thread, event, messages=tuple(fresh if m is original else m for m in thread.messages))
    is_another = event.asks and _asks_another(thread, event, original, asks)
    if is_another and not settled_by_edit(thread, event, original, limits):
        return change_thread(thread, event, inbox=(*unread, ts), reworded=(*others, fresh))
    due_at = thread.due_at if unread or thread.status != "closed" or thread.has_next else None
    return change_thread(thread, event, inbox=unread, reworded=others, due_at=due_at) if waits else None


_ENDINGS: tuple[Outcome, ...] = ("replied", "dismissed", "expired", "settled", "skipped")
"""Endings after which the asker may ask again: no take-over, and no request for silence."""


def _asks_another(thread: Thread, event: Edited, before: ThreadMessage, asks: str) -> bool:
    """Return whether the asker edited their message into another question, so that the draft answers the wrong one."""
    is_own = event.message.sender.id == thread.original_sender_id == before.sender_id
    return is_own and not is_reworded(before.asks, asks)


def _without_answers(thread: Thread, messages: tuple[ThreadMessage, ...]) -> tuple[ThreadMessage, ...]:
    """Return the messages, those of other people assigned to the previous question: they answer the old text."""
    before = thread.question_round - 1
    others = {m.message_id for m in thread.question_messages if m.sender_id != thread.original_sender_id}
    return tuple(m.evolve(round=before) if m.message_id in others else m for m in messages)


_FEEDBACK_RESET: dict[str, Any] = {
    "feedback": None,
    "bounced_as": None,
    "decision": None,
    "rounds": (),
    "validator_bounces": 0,
    "operator_bounces": 0,
    "settled_word": None,
}
"""Feedback on a draft, reset for another question."""


def _remove_message(thread: Thread, event: Deleted) -> Transition | None:
    """Remove a message of the current question; without any message left the question is withdrawn.

    A created task keeps the words of its first message.
    """
    if thread.order and thread.is_about_order and event.message_id == thread.root_ts:
        return lose_first_message(thread, thread.order, event)
    deleted = [m for m in thread.messages if m.message_id == event.message_id and m.round == thread.question_round]
    if not deleted:
        return None
    messages = tuple(m for m in thread.messages if m not in deleted)
    if not any(m.round == thread.question_round for m in messages):
        return close_thread(thread, event, "withdrawn")
    if thread.status == "collecting":
        return change_thread(thread, event, messages=messages)
    if thread.status == "pending-user":
        reason = f"Deleted since this draft was made: {clip(fill_names(deleted[0].content, thread.names))}"
        return _mark_stale(thread, event, reason, messages=messages)
    return investigate(thread, event, "investigating", messages=messages)


def _evidence_changed(thread: Thread, event: EvidenceChanged) -> Transition:
    """Mark the draft as stale because its cited lines changed, with the changes."""
    reason = f"{LINES_CHANGED}: {event.why}"
    return _mark_stale(thread, event, reason, evidence_checks=event.checks)


def _readers_changed(thread: Thread, event: ReadersChanged) -> Transition:
    """Apply a larger audience: the operator decides again, and a new draft leaves out what these people may not see."""
    if event.is_kept_back:
        updated = thread.evolve(external=event.external)
        return investigate(updated, event, "investigating", feedback=None, bounced_as=None)
    why = "People of another company read this channel since this draft was made"
    return _mark_stale(thread, event, why, external=event.external)


def _readers_gone(thread: Thread, event: ReadersGone) -> Transition | None:
    """Apply a smaller audience: no new decision is needed, and Approve names the outsiders no longer."""
    external = thread.external
    if external is None or not external.channel:
        return None
    return change_thread(thread, event, external=external.evolve(channel=False, is_cut=True))


def _mark_stale(thread: Thread, event: Revision, why: str, **changes: Any) -> Transition:
    draft = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
    return change_thread(thread, event, stale=why, draft_pending=draft, **changes)


def withdraw_check_mark(thread: Thread, event: SettledMark) -> Transition | None:
    """Undo the asker's check mark: remove the acknowledgement, or reopen the question that it closed."""
    unsaid = withdraw_acknowledgement(thread, event.message_id) if event.by == thread.original_sender_id else thread
    if unsaid is not thread:
        return Transition(unsaid, accepted=False)
    word = thread.settled_word
    if word is None or word.how != "marked":
        return None
    if (word.by, word.message_id, word.text) != (event.by, event.message_id, f":{event.emoji}:"):
        return None
    if thread.status != "closed":
        return change_thread(thread, event, settled_word=None)
    if thread.outcome != "settled":
        return None
    return restart_question(thread, event, mode=thread.mode, operator=thread.operator)
