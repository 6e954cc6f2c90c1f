"""States of tasks: the status of each, the statuses of the tasks that it depends on, and what else holds it.

Open created tasks are in memory; documents are read of all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.task_status import find_task_status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.task_hold import TaskHold
    from bot.models.task_status import TaskStatus
    from bot.models.thread import Thread
    from bot.ports.outbound import Store
    from bot.ports.task_holds import TaskHolds
    from bot.triage.task_index import TaskIndex


@dataclass(frozen=True, kw_only=True)
class Dependency:
    """A task that another one depends on."""

    thread_id: str
    task: str
    """Its name; empty if its document is gone or unreadable."""
    status: TaskStatus
    """Its status; failed if its document is gone."""


@dataclass(frozen=True, kw_only=True)
class TaskState:
    """Status of a task, with the tasks that it depends on, and what keeps it from its start."""

    status: TaskStatus
    dependencies: tuple[Dependency, ...] = ()
    holds: tuple[TaskHold, ...] = ()

    @property
    def blockers(self) -> tuple[Dependency, ...]:
        """Return the tasks that it waits for."""
        return tuple(dependency for dependency in self.dependencies if dependency.status != "COMPLETED")


@dataclass(frozen=True, kw_only=True)
class TaskStates:
    """Reader of the states of tasks."""

    store: Store
    index: TaskIndex
    schedule: TaskHolds

    async def find_state(self, thread: Thread) -> TaskState:
        """Return the state of a task."""
        order = thread.order
        if order is None:
            return TaskState(status=find_task_status(thread))
        all_holds = await self.schedule.list_holds()
        holds = all_holds.get(thread.thread_id, ()) if _waits(thread) else ()
        dependencies = tuple([await self._read(thread_id, all_holds) for thread_id in order.depends_on])
        statuses = [dependency.status for dependency in dependencies] if _waits(thread) else ()
        status = find_task_status(thread, statuses, never_starts=any(hold.is_final for hold in holds))
        return TaskState(status=status, dependencies=dependencies, holds=holds)

    async def _read(self, thread_id: str, all_holds: Mapping[str, tuple[TaskHold, ...]]) -> Dependency:
        thread = await self._load(thread_id)
        if thread is None:
            return Dependency(thread_id=thread_id, task="", status="FAILED")
        before = thread.order.depends_on if thread.order and _waits(thread) else ()
        statuses = [find_task_status(each) if (each := await self._load(name)) else "FAILED" for name in before]
        never_starts = any(hold.is_final for hold in all_holds.get(thread_id, ()))
        status = find_task_status(thread, statuses, never_starts=never_starts)
        return Dependency(thread_id=thread_id, task=thread.task, status=status)

    async def _load(self, thread_id: str) -> Thread | None:
        if thread := self.index.open.get(thread_id):
            return thread
        try:
            return await self.store.load(thread_id)
        except TriageError:
            return None  # its next event rebuilds it


def _waits(thread: Thread) -> bool:
    """Return whether a created task waits for its start."""
    return thread.is_about_order and thread.status == "collecting"
