"""Tasks by command: skipped, restarted, and the order of a created task edited before its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.workflow.next_question import restart_order
from bot.decide.workflow.routes import BY_ORDER, find_route
from bot.decide.workflow.steps import Transition, change_thread, close_thread, move_thread
from bot.models.decision import Decision
from bot.models.markup import search_text
from bot.models.task_event import OrderEdited, TaskEvent, TaskSkipped, TitleShown
from bot.models.task_status import COMPLETED_OUTCOMES
from bot.models.viewed_page import SubjectProject

if TYPE_CHECKING:
    from bot.decide.workflow.steps import WorkflowLimits
    from bot.models.presses import Restarted
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread


def apply_task_event(thread: Thread, event: TaskEvent, limits: WorkflowLimits) -> Transition | None:
    """Apply a command on a task; `None` if it changes nothing."""
    match event:
        case TaskSkipped():
            return _skip(thread, event)
        case OrderEdited():
            return _edit_order(thread, event, limits)
        case TitleShown():
            return _record_title(thread, event)
        case _:
            assert_never(event)


def _skip(thread: Thread, event: TaskSkipped) -> Transition | None:
    """End a task that waits for others, was stopped, or has failed."""
    order = thread.order
    if order and not thread.is_about_order:  # its thread has gone on to other questions
        is_failed = order.outcome is not None and order.outcome not in COMPLETED_OUTCOMES
        return change_thread(thread, event, order=_skipped(order, event)) if is_failed else None
    changes: dict[str, Any] = {
        "decision": Decision(action="skip", by=event.by, at=event.at),
        "order": order and _skipped(order, event),
    }
    match thread.status:
        case "collecting" if order and (order.depends_on or order.project):  # only these may be blocked
            return close_thread(thread, event, "skipped", **changes)
        case "pending-user" if thread.draft_pending is None:
            return close_thread(thread, event, "skipped", **changes)
        case "closed" if thread.outcome not in COMPLETED_OUTCOMES:
            return change_thread(thread, event, outcome="skipped", **changes)
        case _:
            return None


def _skipped(order: TaskOrder, event: TaskSkipped) -> TaskOrder:
    return order.evolve(outcome="skipped", skipped_by=event.by)


def _edit_order(thread: Thread, event: OrderEdited, limits: WorkflowLimits) -> Transition | None:
    """Change the order of a task that waits for its start or its restart, with the words of its question."""
    order = thread.order
    if order is None or not may_edit_order(thread):
        return None
    fields = {
        "title": event.title,
        "description": event.description,
        "priority": event.priority,
        "project": event.project,
    }
    edited = order.evolve(**{name: value for name, value in fields.items() if value is not None})
    if edited == order:
        return None
    words = {"content": edited.words, "asks": limits.normalise(search_text(edited.words))}
    messages = tuple(m.evolve(**words) if m.message_id == thread.root_ts else m for m in thread.messages)
    is_behind = order.is_title_behind or edited.title != order.title
    changes: dict[str, Any] = {"order": edited.evolve(is_title_behind=is_behind), "messages": messages}
    if event.project:
        subject = SubjectProject(project=event.project, why=BY_ORDER, told=BY_ORDER)
        moved = thread.evolve(subject=subject, **changes)
        changes |= {"subject": subject, "route": find_route(moved.search_text, moved, edited, limits)}
    return change_thread(thread, event, **changes)


def may_edit_order(thread: Thread) -> bool:
    """Return whether a created task waits for its start, or for a restart after a stop or a failure."""
    is_idle = thread.status == "pending-user" and thread.draft_pending is None
    return thread.is_about_order and (thread.status == "collecting" or is_idle)


def _record_title(thread: Thread, event: TitleShown) -> Transition | None:
    """Record that the first message of a task shows its title."""
    order = thread.order
    if order is None or not order.is_title_behind or order.title != event.title:
        return None
    return Transition(thread.evolve(order=order.evolve(is_title_behind=False)))


def requeue_order(thread: Thread, event: Restarted) -> Transition | None:
    """Return a created task that was stopped or has failed to the ones that wait for the scheduler."""
    order = thread.order
    is_waiting = thread.status == "pending-user" and thread.draft_pending is None
    if order is None or not thread.is_about_order or not is_waiting:
        return None
    changes: dict[str, Any] = {
        "order": restart_order(order, thread.question_round),
        "operator": event.operator,
        "mode": event.mode,
        "failure": None,
        "stopped_by": None,
        "due_at": None,
    }
    return move_thread(thread, event, "collecting", **changes)
