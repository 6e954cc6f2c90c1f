"""Events of created tasks: the start by the scheduler."""

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
