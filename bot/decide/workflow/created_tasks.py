"""Created tasks: opened by an order, started by the scheduler alone, and ended like any question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.decide.workflow.escalating import begin_work
from bot.decide.workflow.messages import build_thread_message, in_order
from bot.decide.workflow.next_question import BLANK, restart_order, start_next_question
from bot.decide.workflow.routes import routed
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread, move_thread
from bot.models.markup import SOMEBODY
from bot.models.status import WORKED_ON

if TYPE_CHECKING:
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.models.thread_event import Deleted, DigDeeper, MessageAdded, Redraft, TaskStarted

MESSAGE_DELETED = "The first message of this task was deleted; a reply would be posted below a deleted message"


def attach_order(thread: Thread, event: MessageAdded, order: TaskOrder, limits: WorkflowLimits) -> Transition | None:
    """Apply the order of a thread that a reply opened first: the reply joins the task, which waits for its start.

    A reply that is on its way to Slack comes first: `None`.
    """
    if thread.order or thread.status in ("approved", "in-doubt"):
        return None
    is_over = thread.status == "closed"
    number = thread.question_round + is_over
    messages = in_order(*thread.messages, build_thread_message(event, limits, number))
    fields: dict[str, Any] = {
        "messages": messages,
        "original_sender_id": event.message.sender.id,
        "original_sender_name": SOMEBODY,  # until its names are learned
        "anchor": event.message.message_id,
        "mode": event.mode,
        "operator": event.operator,
        "external": event.external,
        "subject": event.message.subject,
        "order": restart_order(order, number),
        "due_at": None,
        "waiting": None,
    }
    if is_over:
        return start_next_question(thread, event, **fields)
    return move_thread(thread, event, "collecting", **(BLANK | fields))


def start_task(thread: Thread, event: TaskStarted, limits: WorkflowLimits) -> Transition | None:
    """Start a task that waits, on the results of all that it depends on."""
    order = thread.order
    if order is None or not thread.is_about_order or thread.status != "collecting":
        return None
    if {*order.depends_on} != {each.thread_id for each in event.inputs}:
        return None  # its order was changed meanwhile
    started = order.evolve(agent=event.agent, begun_at=event.at, inputs=event.inputs)
    return begin_work(routed(thread.evolve(order=started), limits), event, limits)


def requeue_unbegun_task(thread: Thread, press: Redraft | DigDeeper) -> Transition | None:
    """Let a task that was stopped before its start wait for it again: its dependencies and a slot come first."""
    order = thread.order
    if order is None or not thread.is_about_order or order.begun_at or thread.draft_pending:
        return None
    order = restart_order(order, thread.question_round)
    return move_thread(thread, press, "collecting", order=order, failure=None, stopped_by=None, due_at=None)


def record_task_end(before: Thread, step: Transition) -> Transition:
    """Return the step with the ending of a task that it closes, in its order: people may ask further questions."""
    after = step.thread
    order = after.order if after else None
    if after is None or order is None or not after.is_about_order:
        return step
    if after.status == "closed" and before.status != "closed":
        is_answered = after.outcome in ("replied", "practice") and after.draft_pending is not None
        result = after.draft_pending.text if is_answered and after.draft_pending else ""
        return replace(step, thread=after.evolve(order=order.evolve(outcome=after.outcome, result=result)))
    if order.is_message_deleted and after.status == "pending-user" and after.stale is None:
        return replace(step, thread=after.evolve(stale=MESSAGE_DELETED))
    return step


def lose_first_message(thread: Thread, order: TaskOrder, event: Deleted) -> Transition | None:
    """Record that the first message of a task was deleted: the work goes on, and its card says so."""
    if order.is_message_deleted:
        return None
    changes: dict[str, Any] = {"order": order.evolve(is_message_deleted=True)}
    if thread.status in (*WORKED_ON, "pending-user"):
        draft = thread.draft_pending
        changes |= {"stale": MESSAGE_DELETED, "draft_pending": draft and draft.evolve(nonce=event.fresh)}
    return change_thread(thread, event, **changes)
