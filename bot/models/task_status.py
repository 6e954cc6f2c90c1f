"""Task status: the state of a task in six words, from its thread and from the tasks that it depends on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.status import Outcome
    from bot.models.thread import Thread

TaskStatus = Literal["READY", "BLOCKED", "IN_PROGRESS", "AWAITING_APPROVAL", "COMPLETED", "FAILED"]
"""`BLOCKED`: a task that it depends on is not completed, its project no longer exists, or a person has stopped it."""

TASK_STATUSES: tuple[TaskStatus, ...] = get_args(TaskStatus)

COMPLETED_OUTCOMES: tuple[Outcome, ...] = ("replied", "practice", "settled", "taken-over", "recovered", "skipped")
"""Outcomes of a completed task, which free the tasks that depend on it; all others are failures."""


def find_task_status(
    thread: Thread, dependencies: Iterable[TaskStatus] = (), *, never_starts: bool = False
) -> TaskStatus:
    """Return the status of a task; `dependencies` are the statuses of the tasks that it depends on, and
    `never_starts` is true if a person must change it before it can start.

    The task of a thread with an order is the ordered one, also if people ask further questions in the thread.
    """
    if thread.order and not thread.is_about_order:
        return "COMPLETED" if thread.order.outcome in COMPLETED_OUTCOMES else "FAILED"
    match thread.status:
        case "collecting":
            is_ready = not never_starts and all(status == "COMPLETED" for status in dependencies)
            return "READY" if is_ready else "BLOCKED"
        case "pending-user" if thread.draft_pending is None:
            return "BLOCKED" if thread.stopped_by else "FAILED"
        case "pending-user" | "in-doubt":
            return "AWAITING_APPROVAL"
        case "closed":
            return "COMPLETED" if thread.outcome in COMPLETED_OUTCOMES else "FAILED"
        case _:
            return "IN_PROGRESS"


def find_stopper(thread: Thread) -> str | None:
    """Return the person who stopped a task, as long as that is why it is blocked."""
    return thread.stopped_by if thread.status == "pending-user" and find_task_status(thread) == "BLOCKED" else None
