"""Port of the schedule of created tasks, for those who say why a task waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.task_hold import TaskHold


class TaskHolds(Protocol):
    """Reasons why created tasks wait (`bot.tasks.task_planner.TaskPlanner`)."""

    async def list_holds(self) -> Mapping[str, tuple[TaskHold, ...]]:
        """Return what holds each created task that has not started, by thread."""
