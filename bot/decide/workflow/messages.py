"""Messages in a thread: open it, join it, make its draft stale or reopen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.slug import slug
from bot.decide.workflow.acknowledging import (
    MAX_LEFT_OUT,
    is_acknowledgement,
    read_acknowledgement,
    says_that_it_failed,
    with_denial,
    withdraw_acknowledgement,
)
from bot.decide.workflow.asker_line import stop_line
from bot.decide.workflow.next_question import (
    card_nonce,
    restart_question,
    restart_task,
    start_next_question,
    with_unread,
)
from bot.decide.workflow.routes import find_route
from bot.decide.workflow.settling import apply_settlement, goes_on, read_settlement, with_proposal
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread, clip, window_end
from bot.decide.workflow.task_events import requeue_order
from bot.models.alert import begin_record
from bot.models.card import Card
from bot.models.markup import SOMEBODY, fill_names
from bot.models.presses import Restarted
from bot.models.status import WORKED_ON
from bot.models.status_change import StatusChange
from bot.models.thread import Thread
from bot.models.thread_event import MessageAdded, Overheard
from bot.models.thread_message import ThreadMessage

if TYPE_CHECKING:
    from bot.models.external import External
    from bot.models.message import Message


def open_thread(event: MessageAdded, limits: WorkflowLimits) -> Transition:
    """Build the document of a new question."""
    message = event.message
    thread_message = build_thread_message(event, limits, 1)
    thread = Thread(
        thread_id=message.home,
        team_id=message.team_id,
        chat_id=message.chat_id,
        chat_name=message.chat_name,
        mode=event.mode,
        operator=event.operator,
        original_message_id=message.message_id,
        anchor=message.message_id,
        original_sender_id=message.sender.id,
        original_sender_name=SOMEBODY,  # until its names are learned
        messages=(thread_message,),
        status="collecting",
        status_history=(StatusChange(at=event.at, previous="new", next="collecting"),),
        due_at=None if event.order else event.at + limits.debounce,
        subject=message.subject,
        route=find_route(message.asks, message, event.order, limits),
        external=event.external,
        incident=event.incident,
        order=event.order,
        alert=begin_record(message.alert, message.message_id, message.create_time) if message.alert else None,
        task=slug(limits.redactor.redact(event.order.title if event.order else thread_message.asks), message.home),
        card=Card(nonce=card_nonce(message.home, 1)),
        asker_line=stop_line(event, limits, question_round=1),
        started_at=event.at,
        last_event_at=event.at,
    )
    return Transition(thread)


def apply_message(
    thread: Thread, event: MessageAdded | Overheard | Restarted, limits: WorkflowLimits
) -> Transition | None:
    """Apply a message in a known thread, or the restart of its last question."""
    match event:
        case MessageAdded() | Overheard():
            return _message_added(thread, event, limits)
        case Restarted():
            if thread.order and not thread.is_about_order:
                return restart_task(thread, event)
            restarted = restart_question(thread, event, mode=event.mode, operator=event.operator)
            return restarted or requeue_order(thread, event)
        case _:
            assert_never(event)


def _message_added(thread: Thread, event: MessageAdded | Overheard, limits: WorkflowLimits) -> Transition | None:
    """Apply a message; one that is left out on purpose is only noted."""
    if _was_decided_on(thread, event):
        return None
    if isinstance(event, MessageAdded) and event.incident and thread.incident is None:
        own = event.incident.evolve(question_round=thread.question_round)  # a reply was faster, and is about it
        return Transition(thread.evolve(incident=own))
    if isinstance(event, MessageAdded) and event.joins and is_acknowledgement(thread, event.message):
        return None  # an acknowledgement is not part of its author's next question
    unsaid = withdraw_acknowledgement(thread, event.message.message_id)  # its text has changed
    step = _message_read(unsaid, event, limits)
    return Transition(unsaid, accepted=False) if step is None and unsaid is not thread else step


def _message_read(thread: Thread, event: MessageAdded | Overheard, limits: WorkflowLimits) -> Transition | None:
    is_muted = isinstance(event, MessageAdded) and event.muted
    if not is_muted and (step := read_acknowledgement(thread, event, limits)):
        return step
    read = None if is_muted or says_that_it_failed(thread, event) else read_settlement(thread, event, limits)
    if read and (read[0] == "closes" or thread.status in ("approved", "in-doubt") or _is_ack(event)):
        return apply_settlement(thread, event, read)
    if isinstance(event, Overheard):
        if event.is_ack:
            return None
        transition = _overheard(thread, event, limits) if thread.status in _STATUSES_WITH_DRAFT else None
    else:
        transition = None if event.muted else add_message(thread, event, limits)
    if read:
        return with_proposal(transition, read) if transition else apply_settlement(thread, event, read)
    return transition or _left_out(thread, event)


def _is_ack(event: MessageAdded | Overheard) -> bool:
    return isinstance(event, Overheard) and event.is_ack


def add_message(thread: Thread, event: MessageAdded, limits: WorkflowLimits) -> Transition | None:
    """Add a relevant message to a thread's question, or begin the next one; `None` if it is not part of any."""
    message = event.message
    reopens = event.mentioned or message.sender.id == thread.original_sender_id or _asks_below_program(thread, message)
    if thread.status == "closed" and thread.outcome == "taken-over" and not event.mentioned:
        return None  # an operator answers: the bot waits until it is mentioned
    if thread.status == "closed":
        if says_that_it_failed(thread, event):
            return _reopen(with_denial(thread, event), event, limits)
        begins = event.mentioned or (reopens and event.asks)
        return _reopen(thread, event, limits) if begins else None
    thread_message = build_thread_message(event, limits, thread.question_round)
    added: dict[str, Any] = {
        "messages": in_order(*thread.messages, thread_message),
        **goes_on(thread, message.sender.id),
    }
    added["external"] = _external(thread, event)
    match thread.status:
        case "collecting":
            return change_thread(thread, event, due_at=window_end(thread, event, limits), **added)
        case "pending-user":
            stale = f"New in the thread since this draft was made: {clip(_resolve_names(message))}"
            draft = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
            return change_thread(thread, event, stale=stale, draft_pending=draft, **added)
        case "approved" | "in-doubt" if not reopens:
            return None
        case "approved" | "in-doubt" if not event.asks:
            return change_thread(thread, event, **added)
        case _:
            return change_thread(thread, event, inbox=(*thread.inbox, message.message_id), **added)


def _asks_below_program(thread: Thread, message: Message) -> bool:
    """Return whether a person writes in a thread that a program began, so that nobody is its asker."""
    is_programs = thread.alert or thread.incident or thread.order
    begun_by_bot = (m.by_bot for m in thread.messages if m.message_id == thread.original_message_id)
    return message.sender.type == "user" and (bool(is_programs) or any(begun_by_bot))


def _external(thread: Thread, event: MessageAdded) -> External | None:
    """Return the external people around a question after a further message; only the asker's own message names the
    asker."""
    if thread.external or event.external is None:
        return thread.external
    is_asker = event.message.sender.id == thread.original_sender_id
    return event.external.evolve(asker=event.external.asker and is_asker)


def _reopen(thread: Thread, event: MessageAdded, limits: WorkflowLimits) -> Transition:
    message, next_round = event.message, thread.question_round + 1
    return start_next_question(
        thread,
        event,
        messages=in_order(*with_unread(thread, next_round), build_thread_message(event, limits, next_round)),
        original_sender_id=message.sender.id,
        original_sender_name=SOMEBODY,  # until its names are learned
        anchor=message.message_id,
        mode=event.mode,
        operator=event.operator,
        external=event.external,
        asker_line=stop_line(event, limits, question_round=next_round) or thread.asker_line,
        due_at=event.at + limits.debounce,
    )


def _overheard(thread: Thread, event: Overheard, limits: WorkflowLimits) -> Transition:
    """Add a message that asks nothing: the current or coming draft is stale.

    No run starts or takes longer; the next draft takes the message into account.
    """
    text = clip(_resolve_names(event.message))
    draft = thread.draft_pending and thread.draft_pending.evolve(nonce=event.fresh)
    thread_message = build_thread_message(event, limits, thread.question_round)
    return change_thread(
        thread,
        event,
        stale=f"Somebody wrote in the thread since this draft was begun: {text}",
        draft_pending=draft,
        messages=in_order(*thread.messages, thread_message),
        **goes_on(thread, event.message.sender.id),
    )


_STATUSES_WITH_DRAFT = (*WORKED_ON, "pending-user")
"""Statuses with a draft that may become stale, now or soon."""


def _was_decided_on(thread: Thread, event: MessageAdded | Overheard) -> bool:
    """Return whether a message is known, or was left out on purpose before a restart."""
    ts = event.message.message_id
    return any(m.message_id == ts for m in thread.messages) or (event.replayed and ts in thread.left_out)


def _left_out(thread: Thread, event: MessageAdded | Overheard) -> Transition | None:
    """Note a message as left out; one that joins a question is handled as a message in its own right."""
    ts = event.message.message_id
    if ts in thread.left_out or (isinstance(event, MessageAdded) and event.joins):
        return None
    return Transition(thread.evolve(left_out=(*thread.left_out, ts)[-MAX_LEFT_OUT:]), accepted=False)


def in_order(*messages: ThreadMessage) -> tuple[ThreadMessage, ...]:
    """Sort by time of writing; Slack delivers in any order."""
    return tuple(sorted(messages, key=lambda m: float(m.message_id)))


def build_thread_message(event: MessageAdded | Overheard, limits: WorkflowLimits, question_round: int) -> ThreadMessage:
    """Return a message as a question's document keeps it."""
    message = event.message
    return ThreadMessage(
        message_id=message.message_id,
        sender_id=message.sender.id,
        by_bot=message.sender.type == "bot",
        content=message.content,
        round=question_round,
        asks=limits.normalise((message.alert and not message.alert.is_weak and message.alert.words) or message.asks),
        is_question=_is_question(event),
        edited_ts=message.edited_ts,
        unread=message.unread,
        shared=message.shared,
        files=message.files if limits.reads_files else (),
    )


def _is_question(event: MessageAdded | Overheard) -> bool:
    """Return whether a person asks for something, or reports a fault."""
    is_wanted = event.asks if isinstance(event, MessageAdded) else event.is_report
    return is_wanted and event.message.sender.type == "user"


def _resolve_names(message: Message) -> str:
    return fill_names(message.content, message.known_names)
