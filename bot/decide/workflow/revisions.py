"""Changes of a question's context: edits, deletions and outdated evidence correct a run or make a draft stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.retrieval.question_similarity import is_reworded
from bot.decide.workflow.acknowledging import taken_back
from bot.decide.workflow.edits import LINES_CHANGED, references_opened
from bot.decide.workflow.messages import asked, routed
from bot.decide.workflow.next_question import next_question, with_unread
from bot.decide.workflow.settling import settled_by_edit
from bot.decide.workflow.steps import Transition, WorkflowLimits, changed, clip, closed, investigate, window_end
from bot.models.markup import named
from bot.models.presses import Restarted
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


def revised(thread: Thread, happening: Revision, limits: WorkflowLimits) -> Transition | None:
    """Apply a change of the context; an approved reply is posted all the same, and a changed question comes after
    it."""
    if thread.status == "closed":
        return _ended(thread, happening, limits)
    if thread.status in ("approved", "in-doubt"):
        return _edited_late(thread, happening, limits) if isinstance(happening, Edited) else None
    match happening:
        case Edited():
            return _edited(thread, happening, limits)
        case Deleted():
            return _deleted(thread, happening)
        case ReferencesOpened():
            return references_opened(thread, happening)
        case _:
            return _outdated(thread, happening) if thread.status == "pending-user" else None


def _outdated(thread: Thread, happening: _News) -> Transition | None:
    """Apply news about a draft that waits for a decision."""
    match happening:
        case EvidenceChanged():
            return _evidence_changed(thread, happening)
        case HintsWithdrawn():
            why = "This draft used other open questions that this channel may no longer know of"
            return _stale(thread, happening, f"{why}: {', '.join(happening.thread_ids)}")
        case ReadersChanged():
            return _readers_changed(thread, happening)
        case ReadersGone():
            return _readers_gone(thread, happening)
        case ThreadUnread():
            return _stale(thread, happening, "Triage could not read the thread again; please check it")
        case _:  # `SpokenMeanwhile`
            why = "Triage itself has answered in this thread since this draft was made; please check it"
            return _stale(thread, happening, why, own_ts=happening.ts)


def _ended(thread: Thread, happening: Revision, limits: WorkflowLimits) -> Transition | None:
    if isinstance(happening, Edited):
        step = _asked_anew(thread, happening, limits)
        return _edited_late(thread, happening, limits) if step is None and thread.inbox else step
    unsaid = taken_back(thread, happening.message_id) if isinstance(happening, Deleted) else thread
    return None if unsaid is thread else Transition(unsaid, accepted=False)


def _edited(thread: Thread, happening: Edited, limits: WorkflowLimits) -> Transition | None:
    """Apply an edit of a message of the current question."""
    message = happening.message
    before = {m.message_id: m for m in thread.messages if m.round == thread.question_round}
    known = before.get(message.message_id)
    if known is None or known.content == message.content:
        return None
    asks = limits.normalise(message.asks)
    fresh = {"asks": asks, **_sent_with(message, known, limits)}
    messages = tuple(m.evolve(content=message.content, **fresh) if m is known else m for m in thread.messages)
    if step := settled_by_edit(thread, happening, known, limits):
        return step
    if thread.status == "collecting":
        return changed(thread, happening, messages=messages, due_at=window_end(thread, happening, limits))
    is_another = _asks_another(thread, happening, known, asks)
    if is_another:
        messages = _without_answers(thread, messages)
    if thread.status == "pending-user" and is_another:
        return investigate(routed(thread.evolve(messages=messages), limits), happening, "investigating", **_ANEW)
    if thread.status == "pending-user":
        said = clip(named(message.content, message.known_names))
        return _stale(thread, happening, f"Edited since this draft was made: {said}", messages=messages)
    return investigate(thread, happening, "investigating", messages=messages)


def _sent_with(message: Message, known: ThreadMessage, limits: WorkflowLimits) -> dict[str, Any]:
    """Return what an edited message has beside its text; contents of unchanged files are kept."""
    files = with_known(message.files, known.files) if limits.reads_files else ()
    return {"unread": message.unread, "shared": message.shared, "files": files}


def _asked_anew(thread: Thread, happening: Edited, limits: WorkflowLimits) -> Transition | None:
    """Reopen a closed question whose asker edited it into another question."""
    message, number = happening.message, thread.question_round + 1
    known = next((m for m in thread.asked if m.message_id == message.message_id), None)
    asks = limits.normalise(message.asks)
    if known is None or not happening.asks or thread.outcome not in _ENDED:
        return None
    if not _asks_another(thread, happening, known, asks) or settled_by_edit(thread, happening, known, limits):
        return None
    fresh = known.evolve(content=message.content, round=number, asks=asks, **_sent_with(message, known, limits))
    return next_question(
        thread,
        happening,
        messages=tuple(fresh if m.message_id == fresh.message_id else m for m in with_unread(thread, number)),
        anchor=message.message_id,
        due_at=happening.at + limits.debounce,
    )


def _edited_late(thread: Thread, happening: Edited, limits: WorkflowLimits) -> Transition | None:
    """Queue an edit into another question until the reply is posted.

    An edit back to the old question cancels that; queued messages are updated.
    """
    message, ts = happening.message, happening.message.message_id
    known = next((m for m in thread.asked if m.message_id == ts), None)
    if known is None:
        return None
    asks = limits.normalise(message.asks)
    fresh = known.evolve(content=message.content, asks=asks, **_sent_with(message, known, limits))
    others = tuple(m for m in thread.reworded if m.message_id != ts)
    waits, unread = others != thread.reworded, tuple(each for each in thread.inbox if each != ts)
    if ts in thread.inbox and not waits:
        return changed(thread, happening, messages=tuple(fresh if m is known else m for m in thread.messages))
    is_another = happening.asks and _asks_another(thread, happening, known, asks)
    if is_another and not settled_by_edit(thread, happening, known, limits):
        return changed(thread, happening, inbox=(*unread, ts), reworded=(*others, fresh))
    due_at = thread.due_at if unread or thread.status != "closed" else None
    return changed(thread, happening, inbox=unread, reworded=others, due_at=due_at) if waits else None


_ENDED: tuple[Outcome, ...] = ("replied", "dismissed", "expired", "settled")
"""Endings after which the asker may ask again: no take-over, and no request for silence."""


def _asks_another(thread: Thread, happening: Edited, before: ThreadMessage, asks: str) -> bool:
    """Return whether the asker edited their message into another question, so that the draft answers the wrong one."""
    is_own = happening.message.sender.id == thread.original_sender_id == before.sender_id
    return is_own and not is_reworded(before.content if before.asks is None else before.asks, asks)


def _without_answers(thread: Thread, messages: tuple[ThreadMessage, ...]) -> tuple[ThreadMessage, ...]:
    """Return the messages, those of other people assigned to the previous question: they answer the old text."""
    before = thread.question_round - 1
    others = {m.message_id for m in thread.asked if m.sender_id != thread.original_sender_id}
    return tuple(m.evolve(round=before) if m.message_id in others else m for m in messages)


_ANEW: dict[str, Any] = {
    "feedback": None,
    "bounced_as": None,
    "decision": None,
    "rounds": (),
    "validator_bounces": 0,
    "operator_bounces": 0,
    "settled_word": None,
}
"""Feedback on a draft, reset for another question."""


def _deleted(thread: Thread, happening: Deleted) -> Transition | None:
    """Remove a message of the current question; without any message left the question is withdrawn."""
    gone = [m for m in thread.messages if m.message_id == happening.message_id and m.round == thread.question_round]
    if not gone:
        return None
    messages = tuple(m for m in thread.messages if m not in gone)
    if not any(m.round == thread.question_round for m in messages):
        return closed(thread, happening, "withdrawn", inbox=())
    if thread.status == "collecting":
        return changed(thread, happening, messages=messages)
    if thread.status == "pending-user":
        said = f"Deleted since this draft was made: {clip(named(gone[0].content, thread.names))}"
        return _stale(thread, happening, said, messages=messages)
    return investigate(thread, happening, "investigating", messages=messages)


def _evidence_changed(thread: Thread, happening: EvidenceChanged) -> Transition:
    """Mark the draft as stale because its cited lines changed, with the changes."""
    said = f"{LINES_CHANGED}: {happening.why}"
    return _stale(thread, happening, said, evidence_checks=happening.checks)


def _readers_changed(thread: Thread, happening: ReadersChanged) -> Transition:
    """Apply a larger audience: the operator decides again, and a new draft leaves out what these people may not see."""
    if happening.is_kept_back:
        seen = thread.evolve(external=happening.external)
        return investigate(seen, happening, "investigating", feedback=None, bounced_as=None)
    why = "People of another company read this channel since this draft was made"
    return _stale(thread, happening, why, external=happening.external)


def _readers_gone(thread: Thread, happening: ReadersGone) -> Transition | None:
    """Apply a smaller audience: no new decision is needed, and Approve names the outsiders no longer."""
    known = thread.external
    if known is None or not known.channel:
        return None
    return changed(thread, happening, external=known.evolve(channel=False, is_cut=True))


def _stale(thread: Thread, happening: Revision, why: str, **changes: Any) -> Transition:
    draft = thread.draft_pending and thread.draft_pending.evolve(nonce=happening.fresh)
    return changed(thread, happening, stale=why, draft_pending=draft, **changes)


def unmarked(thread: Thread, happening: SettledMark, limits: WorkflowLimits) -> Transition | None:
    """Undo the asker's check mark: remove the acknowledgement, or reopen the question that it closed."""
    unsaid = taken_back(thread, happening.message_id) if happening.by == thread.original_sender_id else thread
    if unsaid is not thread:
        return Transition(unsaid, accepted=False)
    word = thread.settled_word
    if word is None or word.how != "marked":
        return None
    if (word.by, word.message_id, word.text) != (happening.by, happening.message_id, f":{happening.emoji}:"):
        return None
    if thread.status != "closed":
        return changed(thread, happening, settled_word=None)
    if thread.outcome != "settled":
        return None
    where: dict[str, Any] = {"mode": thread.mode, "operator": thread.operator}
    return asked(thread, Restarted(at=happening.at, fresh=happening.fresh, by=happening.by, **where), limits)
