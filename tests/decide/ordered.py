"""Threads of created tasks, in each status."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.models.message import Sender
from bot.models.task_order import DependencyResult, TaskOrder
from bot.models.thread import Thread
from bot.models.thread_event import Approve, MessageAdded, Posted, TaskStarted
from tests.builders import ASKER, LIMITS, added, at, found, fresh, moved, validated
from tests.decide.test_workflow import press

BEFORE = "T0SANDBOX-C0HELP-90.000001"
"""A thread that the task depends on."""
TITLE = "List the limits"


def order(**changes: Any) -> TaskOrder:
    """A task without a project."""
    values: dict[str, Any] = {
        "order_id": "0123456789abcdef",
        "title": TITLE,
        "description": "Say where the limit is set.",
        "created_by": ASKER,
        "created_at": at(-1),
    }
    return TaskOrder(**(values | changes))


def opening(own: TaskOrder | None = None, seconds: float = 0, **changes: Any) -> MessageAdded:
    """The bot has posted the first message of a task."""
    own = own or order()
    event = added(f"{own.title}\n{own.description}", seconds=seconds, **changes)
    return replace(event, message=event.message.evolve(sender=Sender(id=own.created_by, type="user")), order=own)


def result(thread_id: str = BEFORE) -> DependencyResult:
    """The result of another task."""
    return DependencyResult(thread_id=thread_id, task="other-0105-0858-aaaaaa", title="Other", text="It is 3.")


def started(seconds: float = 60, **changes: Any) -> TaskStarted:
    """The scheduler has a slot."""
    return TaskStarted(at=at(seconds), **({"fresh": fresh(), "agent": "agent-1"} | changes))


def waiting(**changes: Any) -> Thread:
    """Nobody has started it."""
    return moved(None, opening(order(**changes)))


def investigating(**changes: Any) -> Thread:
    """Tier 1 in the bot."""
    return moved(waiting(**changes), started())


def pending() -> Thread:
    """A card with a draft."""
    thread = investigating()
    thread = moved(thread, found(thread, seconds=63), LIMITS)
    return moved(thread, validated(thread, seconds=64))


def approved() -> Thread:
    """The reply is being posted."""
    thread = pending()
    return moved(thread, press(Approve, thread))


def replied() -> Thread:
    """The reply is posted."""
    return moved(approved(), Posted(at=at(70), fresh=fresh(), ts="170.000001"))
