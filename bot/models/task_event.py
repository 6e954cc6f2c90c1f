"""Events of tasks: the start by the scheduler, and the commands that skip a task or edit its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import TimedEvent

if TYPE_CHECKING:
    from bot.models.task_order import DependencyResult


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskStarted(TimedEvent):
    """The scheduler gives a created task a slot of an agent. It counts only while the task waits for it."""

    agent: str
    inputs: tuple[DependencyResult, ...] = ()
    """Results of the tasks that it depends on, one for each, as its order names them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSkipped(TimedEvent):
    """End of a task that is blocked or has failed: it counts as completed for the tasks that depend on it."""

    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OrderEdited(TimedEvent):
    """Change of a created task that has not started; `None` leaves a value as it is."""

    by: str
    title: str | None = None
    description: str | None = None
    priority: int | None = None
    project: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TitleShown(TimedEvent):
    """The first message of a created task shows this title."""

    title: str


TaskEvent = TaskSkipped | OrderEdited | TitleShown
"""Commands on a task, and what they change in Slack."""
