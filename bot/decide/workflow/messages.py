"""Messages in a thread: open it, join it, make its draft stale or reopen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.slug import slug
from bot.decide.workflow.acknowledging import (
    LEFT_OUT_KEPT,
    acknowledged,
    announces_another,
    is_acknowledgement,
    says_that_it_failed,
    taken_back,
    with_denial,
)
from bot.decide.workflow.asker_line import said_at_once
from bot.decide.workflow.next_question import card_nonce, next_question, restarted, with_unread
from bot.decide.workflow.settling import goes_on, settled, settling, with_proposal
from bot.decide.workflow.steps import Transition, WorkflowLimits, changed, clip, window_end
from bot.models.card import Card
from bot.models.markup import SOMEBODY, named
from bot.models.status_change import StatusChange
from bot.models.thread import Thread
from bot.models.thread_event import MessageAdded, Overheard
from bot.models.thread_message import ThreadMessage

if TYPE_CHECKING:
    from bot.models.external import External
    from bot.models.message import Message
    from bot.models.presses import Restarted


def opened(happening: MessageAdded, limits: WorkflowLimits) -> Transition:
    """Build the document of a new question."""
    message = happening.message
    kept = _kept(happening, limits, question_round=1)
    thread = Thread(
        thread_id=message.home,
        team_id=message.team_id,
        chat_id=message.chat_id,
        chat_name=message.chat_name,
        mode=happening.mode,
        operator=happening.operator,
        original_message_id=message.message_id,
        anchor=message.message_id,
        original_sender_id=message.sender.id,
        original_sender_name=message.names.get(message.sender.id) or SOMEBODY,
        messages=(kept,),
        status="collecting",
        status_history=(StatusChange(at=happening.at, previous="new", next="collecting"),),
        due_at=happening.at + limits.debounce,
        subject=message.subject,
        route=limits.route(message.asks, message.chat_id, message.subject) if limits.route else None,
        external=happening.external,
        task=slug(limits.redact(kept.asks or ""), message.home),
        card=Card(nonce=card_nonce(message.home, 1)),
        asker_line=said_at_once(happening, limits, question_round=1),
        started_at=happening.at,
        last_event_at=happening.at,
    )
    return Transition(thread)


def routed(thread: Thread, limits: WorkflowLimits) -> Thread:
    """Return the document with the route of its complete first question; later questions keep that route."""
    if limits.route is None or thread.question_round > 1:
        return thread
    return thread.evolve(route=limits.route(thread.search_text, thread.chat_id, thread.subject))


def asked(thread: Thread, happening: MessageAdded | Overheard | Restarted, limits: WorkflowLimits) -> Transition | None:
    """Apply a message in a known thread, or the restart of its last question."""
    match happening:
        case MessageAdded() | Overheard():
            return _message_added(thread, happening, limits)
        case _:
            return restarted(thread, happening)


def _message_added(thread: Thread, happening: MessageAdded | Overheard, limits: WorkflowLimits) -> Transition | None:
    """Apply a message; one that is left out on purpose is only noted."""
    if _was_decided_on(thread, happening):
        return None
    if isinstance(happening, MessageAdded) and happening.joins and is_acknowledgement(thread, happening.message):
        return None  # an acknowledgement is no part of its author's next question
    unsaid = taken_back(thread, happening.message.message_id)  # its text has changed
    step = _message_read(unsaid, happening, limits)
    return Transition(unsaid, accepted=False) if step is None and unsaid is not thread else step


def _message_read(thread: Thread, happening: MessageAdded | Overheard, limits: WorkflowLimits) -> Transition | None:
    is_muted = isinstance(happening, MessageAdded) and happening.muted
    if not is_muted and (step := acknowledged(thread, happening, limits)):
        return step
    is_over = is_muted or says_that_it_failed(thread, happening) or announces_another(thread, happening)
    read = None if is_over else settling(thread, happening, limits)
    if read and (read[0] == "closes" or thread.status in ("approved", "in-doubt") or _is_ack(happening)):
        return settled(thread, happening, read)
    if isinstance(happening, Overheard):
        if happening.is_ack:
            return None
        taken = _overheard(thread, happening, limits) if thread.status in _BEHIND else None
    else:
        taken = None if happening.muted else _added(thread, happening, limits)
    if read:
        return with_proposal(taken, read) if taken else settled(thread, happening, read)
    return taken or _left_out(thread, happening)


def _is_ack(happening: MessageAdded | Overheard) -> bool:
    return isinstance(happening, Overheard) and happening.is_ack


def _added(thread: Thread, happening: MessageAdded, limits: WorkflowLimits) -> Transition | None:
    message = happening.message
    reopens = happening.mentioned or message.sender.id == thread.original_sender_id
    if thread.status == "closed" and thread.outcome == "taken-over" and not happening.mentioned:
        return None  # an operator answers: the bot waits until it is mentioned
    if thread.status == "closed":
        if says_that_it_failed(thread, happening):
            return _reopened(with_denial(thread, happening), happening, limits)
        begins = happening.mentioned or (reopens and happening.asks)
        return _reopened(thread, happening, limits) if begins else None
    kept = _kept(happening, limits, question_round=thread.question_round)
    added: dict[str, Any] = {"messages": _in_order(*thread.messages, kept), **goes_on(thread, message.sender.id)}
    added["external"] = _external(thread, happening)
    match thread.status:
        case "collecting":
            return changed(thread, happening, due_at=window_end(thread, happening, limits), **added)
        case "pending-user":
            stale = f"New in the thread since this draft was made: {clip(_said(message))}"
            draft = thread.draft_pending and thread.draft_pending.evolve(nonce=happening.fresh)
            return changed(thread, happening, stale=stale, draft_pending=draft, **added)
        case "approved" | "in-doubt" if not reopens:
            return None
        case "approved" | "in-doubt" if not happening.asks:
            return changed(thread, happening, **added)
        case _:
            return changed(thread, happening, inbox=(*thread.inbox, message.message_id), **added)


def _external(thread: Thread, happening: MessageAdded) -> External | None:
    """Return the external people around a question after a further message; only the asker's own message names the
    asker."""
    if thread.external or happening.external is None:
        return thread.external
    is_asker = happening.message.sender.id == thread.original_sender_id
    return happening.external.evolve(asker=happening.external.asker and is_asker)


def _reopened(thread: Thread, happening: MessageAdded, limits: WorkflowLimits) -> Transition:
    message, next_round = happening.message, thread.question_round + 1
    return next_question(
        thread,
        happening,
        messages=_in_order(*with_unread(thread, next_round), _kept(happening, limits, question_round=next_round)),
        original_sender_id=message.sender.id,
        original_sender_name=message.names.get(message.sender.id) or SOMEBODY,
        anchor=message.message_id,
        mode=happening.mode,
        operator=happening.operator,
        external=happening.external,
        asker_line=said_at_once(happening, limits, question_round=next_round) or thread.asker_line,
        due_at=happening.at + limits.debounce,
    )


def _overheard(thread: Thread, happening: Overheard, limits: WorkflowLimits) -> Transition:
    """Add a message that asks nothing: the current or coming draft is stale.

    No run starts or takes longer; the next draft takes the message into account.
    """
    said = clip(_said(happening.message))
    draft = thread.draft_pending and thread.draft_pending.evolve(nonce=happening.fresh)
    kept = _kept(happening, limits, question_round=thread.question_round)
    return changed(
        thread,
        happening,
        stale=f"Somebody wrote in the thread since this draft was begun: {said}",
        draft_pending=draft,
        messages=_in_order(*thread.messages, kept),
        **goes_on(thread, happening.message.sender.id),
    )


_BEHIND = ("investigating", "bounced-round-1", "awaiting-validation", "pending-user")
"""Statuses with a draft that may become stale, now or soon."""


def _was_decided_on(thread: Thread, happening: MessageAdded | Overheard) -> bool:
    """Return whether a message is known, or was left out on purpose before a restart."""
    ts = happening.message.message_id
    return any(m.message_id == ts for m in thread.messages) or (happening.replayed and ts in thread.left_out)


def _left_out(thread: Thread, happening: MessageAdded | Overheard) -> Transition | None:
    """Note a message as left out; one that joins a question is handled as a message in its own right."""
    ts = happening.message.message_id
    if ts in thread.left_out or (isinstance(happening, MessageAdded) and happening.joins):
        return None
    return Transition(thread.evolve(left_out=(*thread.left_out, ts)[-LEFT_OUT_KEPT:]), accepted=False)


def _in_order(*messages: ThreadMessage) -> tuple[ThreadMessage, ...]:
    """Sort by time of writing; Slack delivers in any order."""
    return tuple(sorted(messages, key=lambda m: float(m.message_id)))


def _kept(happening: MessageAdded | Overheard, limits: WorkflowLimits, *, question_round: int) -> ThreadMessage:
    message = happening.message
    return ThreadMessage(
        message_id=message.message_id,
        sender_id=message.sender.id,
        by_bot=message.sender.type == "bot",
        content=message.content,
        round=question_round,
        asks=limits.normalise(message.asks),
        unread=message.unread,
        shared=message.shared,
        files=message.files if limits.reads_files else (),
    )


def _said(message: Message) -> str:
    return named(message.content, message.known_names)
