"""States of tasks: the status of each, and those of the tasks that it depends on.

Open created tasks are in memory; documents are read of all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.task_status import find_task_status

if TYPE_CHECKING:
    from bot.models.task_status import TaskStatus
    from bot.models.thread import Thread
    from bot.ports.outbound import Store
    from bot.triage.task_index import TaskIndex


@dataclass(frozen=True, kw_only=True)
class Dependency:
    """A task that another one depends on."""

    thread_id: str
    task: str
    """Its name; empty if its document is gone or unreadable."""
    status: TaskStatus
    """Its status; one that waits for others itself counts as ready."""


@dataclass(frozen=True, kw_only=True)
class TaskState:
    """Status of a task, with the tasks that it depends on."""

    status: TaskStatus
    dependencies: tuple[Dependency, ...] = ()

    @property
    def blockers(self) -> tuple[Dependency, ...]:
        """Return the tasks that it waits for."""
        return tuple(dependency for dependency in self.dependencies if dependency.status != "COMPLETED")


@dataclass(frozen=True, kw_only=True)
class TaskStates:
    """Reader of the states of tasks."""

    store: Store
    index: TaskIndex

    async def find_state(self, thread: Thread) -> TaskState:
        """Return the state of a task."""
        order = thread.order
        dependencies = tuple([await self._read(thread_id) for thread_id in order.depends_on]) if order else ()
        is_waiting = thread.is_about_order and thread.status == "collecting"
        statuses = [dependency.status for dependency in dependencies] if is_waiting else ()
        return TaskState(status=find_task_status(thread, statuses), dependencies=dependencies)

    async def _read(self, thread_id: str) -> Dependency:
        thread = self.index.open.get(thread_id)
        if thread is None:
            try:
                thread = await self.store.load(thread_id)
            except TriageError:
                thread = None  # its next event rebuilds it
        if thread is None:
            return Dependency(thread_id=thread_id, task="", status="FAILED")
        return Dependency(thread_id=thread_id, task=thread.task, status=find_task_status(thread))
