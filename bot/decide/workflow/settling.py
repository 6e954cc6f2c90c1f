"""Settlements: an asker says that their question is settled, which closes it or proposes that to its operator.

Where a reply is approved, or may be posted already, nothing is closed: the message is shown on the card.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.decide.classify.emptied_edit import keeps_nothing
from bot.decide.classify.settlement import EMOJI, is_struck_out
from bot.decide.workflow.acknowledging import MAX_LEFT_OUT, acknowledged_by_mark
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread, clip, close_thread, without_unread
from bot.models.markup import fill_names
from bot.models.settlement import SettledBy, SettledWord
from bot.models.status import BEFORE_A_DRAFT
from bot.models.thread_event import Overheard

if TYPE_CHECKING:
    from bot.decide.classify.settlement import Settles
    from bot.models.message import Message
    from bot.models.thread import Thread
    from bot.models.thread_event import Edited, MessageAdded, SettledMark
    from bot.models.thread_message import ThreadMessage

Read = tuple["Settles", SettledWord]

_OPEN_STATUSES = (*BEFORE_A_DRAFT, "pending-user")


def read_settlement(thread: Thread, event: MessageAdded | Overheard, limits: WorkflowLimits) -> Read | None:
    """Return how a message settles the thread's question; `None` where it does not.

    Anybody may settle a program's question, such as an alert; that is only proposed to the operator.
    """
    message = event.message
    if limits.settling is None or not _is_after_start(thread, message.message_id):
        return None
    if message.sender.id != thread.original_sender_id:
        is_settled = _is_of_program(thread, message) and limits.settling.settles(message.content) == "closes"
        return ("proposes", _build_word(event, message.message_id, message.content, "said")) if is_settled else None
    if isinstance(event, Overheard) and event.settles:
        return "closes", _build_word(event, message.message_id, message.content, "said")
    answer = _answer_before(thread, message.message_id, limits)
    settles = limits.settling.settles(message.content, answered=answer is not None)
    if settles is None or (thread.status == "closed" and settles != "closes"):
        return None
    return settles, _build_word(event, message.message_id, message.content, "said", answer)


def apply_settlement(thread: Thread, event: MessageAdded | Overheard, read: Read) -> Transition:
    """Apply a settling message, which does not become part of the question."""
    settles, word = read
    noted = (*thread.left_out, word.message_id)[-MAX_LEFT_OUT:]
    if thread.status == "closed":  # also settles what the asker wrote while the last reply was being posted
        return Transition(without_unread(thread).evolve(left_out=noted), accepted=False)
    if settles == "closes" and thread.status in _OPEN_STATUSES:
        return _close_settled(thread, event, word, left_out=noted)
    return _propose(thread, event, word, left_out=noted)


def with_proposal(step: Transition, read: Read) -> Transition:
    """Return the step of a message with the settlement that it proposes."""
    assert step.thread is not None  # noqa: S101  # the message changed the document; narrows the type
    return replace(step, thread=step.thread.evolve(settled_word=read[1]))


def goes_on(thread: Thread, message_by: str) -> dict[str, Any]:
    """Return the changes for a message that settles nothing: the asker's own message cancels an earlier settlement."""
    is_back = thread.settled_word and message_by == thread.original_sender_id
    return {"settled_word": None} if is_back else {}


def settled_by_edit(thread: Thread, event: Edited, before: ThreadMessage, limits: WorkflowLimits) -> Transition | None:
    """Close a question whose asker edited it to say that it is solved, struck it out, or emptied it.

    Thanks added below an otherwise unchanged question are only proposed as a settlement.
    """
    message = event.message
    if limits.settling is None or message.sender.id != thread.original_sender_id:
        return None
    if event.is_order:
        return _close_settled(thread, event, _build_word(event, before.message_id, message.content, "edited"))
    if is_struck_out(message.content):
        others = [m.content for m in thread.messages if _is_own(thread, m) and m.message_id != before.message_id]
        if not all(map(is_struck_out, others)):
            return None
        return _close_settled(thread, event, _build_word(event, before.message_id, message.content, "struck"))
    settles = limits.settling.settles_by_edit(before.content, message.content)
    if event.is_empty and _is_all(thread, before) and keeps_nothing(before.content, message.content):
        settles = "closes"
    if settles is None:
        return None
    word = _build_word(event, before.message_id, message.content, "edited")
    if settles == "closes":
        return _close_settled(thread, event, word)
    return _propose(thread, event, word)


def settled_by_mark(thread: Thread, event: SettledMark, limits: WorkflowLimits) -> Transition | None:
    """Apply the asker's check mark: on the question it closes it, on a colleague's answer it proposes to.

    After the reply it is an acknowledgement.
    """
    if thread.status == "closed":
        return acknowledged_by_mark(thread, event)
    if (
        thread.is_about_incident
        or event.by != thread.original_sender_id
        or event.emoji not in EMOJI
        or thread.status not in _OPEN_STATUSES
    ):
        return None
    under = next((m for m in thread.messages if m.message_id == event.message_id), None)
    if under is None or under.round != thread.question_round:
        return None
    if under.sender_id == event.by:
        return _close_settled(thread, event, _build_word(event, under.message_id, f":{event.emoji}:", "marked"))
    if limits.settling is None or not limits.settling.answers(under.content):
        return None
    return _propose(thread, event, _build_word(event, under.message_id, f":{event.emoji}:", "marked", under))


def _close_settled(thread: Thread, event: Any, word: SettledWord, **changes: Any) -> Transition:
    return close_thread(thread, event, "settled", settled_word=word, **changes)


def _propose(thread: Thread, event: Any, word: SettledWord, **changes: Any) -> Transition:
    """Put the proposal on the card; a waiting draft becomes stale, so that a press on the previous card posts
    nothing."""
    if thread.status == "pending-user":
        changes["stale"] = thread.stale or f"Its asker wrote since this draft was made: {word.text}"
        changes["draft_pending"] = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
    return change_thread(thread, event, settled_word=word, **changes)


def _build_word(
    event: Any,
    message_id: str,
    text: str,
    how: SettledBy,
    answer: ThreadMessage | None = None,
) -> SettledWord:
    by = event.by if how == "marked" else event.message.sender.id
    text = text if how == "marked" else fill_names(text, event.message.known_names)
    return SettledWord(
        at=event.at,
        by=by,
        message_id=message_id,
        text=clip(text),
        how=how,
        answered_by=answer.sender_id if answer else None,
        answer_id=answer.message_id if answer else None,
    )


def _is_after_start(thread: Thread, ts: str) -> bool:
    """Return whether a message was written after the current question began."""
    return float(ts) > float(thread.anchor or thread.original_message_id)


def _is_of_program(thread: Thread, message: Message) -> bool:
    """Return whether a person writes below a program's question, such as an alert."""
    theirs = (m.by_bot for m in thread.messages if m.sender_id == thread.original_sender_id)
    return message.sender.type == "user" and any(theirs)


def _is_own(thread: Thread, message: ThreadMessage) -> bool:
    return message.round == thread.question_round and message.sender_id == thread.original_sender_id


def _is_all(thread: Thread, before: ThreadMessage) -> bool:
    """Return whether a message is the asker's only one in the question."""
    return not any(_is_own(thread, m) for m in thread.messages if m.message_id != before.message_id)


def _answer_before(thread: Thread, ts: str, limits: WorkflowLimits) -> ThreadMessage | None:
    """Return the newest message of a colleague before this one that may answer the current question."""
    assert limits.settling is not None  # noqa: S101  # checked by the caller; narrows the type
    theirs = [
        m
        for m in thread.messages
        if m.round == thread.question_round
        and m.sender_id != thread.original_sender_id
        and _is_after_start(thread, m.message_id)
        and float(m.message_id) < float(ts)
    ]
    return next((m for m in reversed(theirs) if limits.settling.answers(m.content)), None)
