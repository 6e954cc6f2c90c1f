"""Acknowledgements and denials after a posted reply: the first closes the loop, the second reopens the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.classify.denial import outcome
from bot.decide.classify.settlement import EMOJI
from bot.decide.workflow.steps import Transition, WorkflowLimits, without_unread
from bot.models.settlement import Acknowledgement, Denial
from bot.models.thread_event import MessageAdded, Overheard

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.message import Message
    from bot.models.thread import Thread
    from bot.models.thread_event import SettledMark

MAX_LEFT_OUT = 100
"""Maximum of message ids that a document keeps as left out; the oldest are dropped first."""
MAX_ACKNOWLEDGEMENTS = 20
"""Maximum of acknowledgements that a document keeps; the oldest are dropped first."""
_DOUBTS = frozenset({
    "no", "nope", "nah", "nein", "non", "não", "tidak", "いいえ",
    "-1", "thumbsdown", "x", "cry", "sob", "disappointed", "confused", "thinking_face", "rage",
})  # fmt: skip
"""Words and emoji that are not thanks when a message consists of nothing else."""


def read_acknowledgement(thread: Thread, event: MessageAdded | Overheard, limits: WorkflowLimits) -> Transition | None:
    """Record the asker's message that the posted reply helped; `None` for any other message.

    A message that asks something as well is the next question.
    """
    message = event.message
    if not _is_answered(thread, message.sender.id, float(message.message_id)):
        return None
    came = outcome(message.content)
    if came in ("unclear", "goes on") or says_that_it_failed(thread, event):
        return None
    settles = limits.settling.settles(message.content, answered=True) if limits.settling else None
    if came == "served":
        settles = "closes"
    if settles != "closes" and not (_says_so(event) or (settles and not _asks(event))):
        return None
    step = _record_acknowledgement(thread, event.at, message.sender.id, message.message_id)
    if settles == "closes":  # also settles what the asker wrote while the reply was being posted
        return Transition(without_unread(step.thread), accepted=False) if step.thread else step
    return step


def _asks(event: MessageAdded | Overheard) -> bool:
    return isinstance(event, MessageAdded) and event.asks


def _says_so(event: MessageAdded | Overheard) -> bool:
    """Return whether the classifier takes a message for an acknowledgement, or for news that something works."""
    if isinstance(event, MessageAdded):
        return event.is_served and not event.asks
    return event.is_ack and event.message.content.strip(" :.!").lower() not in _DOUBTS


def says_that_it_failed(thread: Thread, event: MessageAdded | Overheard) -> bool:
    """Return whether a message below the reply says that it did not help, or only in part."""
    message = event.message
    by, at = message.sender.id, float(message.message_id)
    if isinstance(event, MessageAdded) and event.denies:
        return _is_below(thread, at)
    return _is_answered(thread, by, at) and outcome(message.content) == "failed"


def with_denial(thread: Thread, event: MessageAdded) -> Thread:
    """Return the document with the denial, and with its reactions to be removed."""
    message = event.message
    denial = Denial(**_of_reply(thread, event.at, message.sender.id, message.message_id))
    marks = tuple(mark.evolve(wanted=False) for mark in thread.marks)
    return thread.evolve(denied=(*thread.denied, denial)[-MAX_ACKNOWLEDGEMENTS:], marks=marks)


def acknowledged_by_mark(thread: Thread, mark: SettledMark) -> Transition | None:
    """Record the asker's check mark under their own question, after the reply."""
    if mark.emoji not in EMOJI or not _is_answered(thread, mark.by, mark.at.timestamp()):
        return None
    under = next((m for m in thread.messages if m.message_id == mark.message_id), None)
    is_own = under is not None and under.sender_id == mark.by and under.round == thread.question_round
    return _record_acknowledgement(thread, mark.at, mark.by, mark.message_id) if is_own else None


def is_acknowledgement(thread: Thread, message: Message) -> bool:
    """Return whether a message is recorded as an acknowledgement of a reply of the thread."""
    return any(each.message_id == message.message_id for each in thread.acknowledged)


def withdraw_acknowledgement(thread: Thread, message_id: str) -> Thread:
    """Return the document without the acknowledgement of one message."""
    remaining = tuple(each for each in thread.acknowledged if each.message_id != message_id)
    return thread if len(remaining) == len(thread.acknowledged) else thread.evolve(acknowledged=remaining)


def _is_answered(thread: Thread, by: str, at: float) -> bool:
    """Return whether the author asked the thread's last question, and the time is after its reply."""
    return by == thread.original_sender_id and _is_below(thread, at)


def _is_below(thread: Thread, at: float) -> bool:
    """Return whether a time is after the reply to the thread's last question."""
    if (thread.status, thread.outcome) != ("closed", "replied"):
        return False
    if thread.posted_message_id:
        return at > float(thread.posted_message_id)
    return thread.closed_at is not None and at > thread.closed_at.timestamp()


def _record_acknowledgement(thread: Thread, at: datetime, by: str, message_id: str) -> Transition:
    """Record the acknowledgement; no card shows it."""
    left_out = (*(ts for ts in thread.left_out if ts != message_id), message_id)[-MAX_LEFT_OUT:]
    word = Acknowledgement(**_of_reply(thread, at, by, message_id))
    words = (*withdraw_acknowledgement(thread, message_id).acknowledged, word)[-MAX_ACKNOWLEDGEMENTS:]
    return Transition(thread.evolve(left_out=left_out, acknowledged=words), accepted=False)


def _of_reply(thread: Thread, at: datetime, by: str, message_id: str) -> dict[str, Any]:
    """Return the fields that acknowledgements and denials share."""
    draft = thread.draft_pending
    fields = {"at": at, "by": by, "message_id": message_id, "question_round": thread.question_round}
    return {**fields, "reply": thread.posted_message_id, "draft_id": draft.draft_id if draft else ""}
