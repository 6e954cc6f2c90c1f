"""States of tasks: the status of each, and the tasks that it waits for, as their documents say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.task_status import find_task_status

if TYPE_CHECKING:
    from bot.models.task_status import TaskStatus
    from bot.models.thread import Thread
    from bot.ports.outbound import Store


@dataclass(frozen=True, kw_only=True)
class Dependency:
    """A task that another one depends on."""

    thread_id: str
    task: str
    """Its name; empty if its document is gone or unreadable."""
    status: TaskStatus


@dataclass(frozen=True, kw_only=True)
class TaskStates:
    """Reader of the states of tasks."""

    store: Store

    async def find_status(self, thread: Thread) -> TaskStatus:
        """Return the status of a task."""
        is_waiting = thread.is_about_order and thread.status == "collecting"
        dependencies = await self.list_dependencies(thread) if is_waiting else ()
        return find_task_status(thread, [dependency.status for dependency in dependencies])

    async def list_dependencies(self, thread: Thread) -> tuple[Dependency, ...]:
        """Return the tasks that a created task depends on. Of these, one that waits itself counts as ready."""
        order = thread.order
        return tuple([await self._read(thread_id) for thread_id in order.depends_on]) if order else ()

    async def _read(self, thread_id: str) -> Dependency:
        try:
            thread = await self.store.load(thread_id)
        except TriageError:
            thread = None  # its next event rebuilds it
        if thread is None:
            return Dependency(thread_id=thread_id, task="", status="FAILED")
        return Dependency(thread_id=thread_id, task=thread.task, status=find_task_status(thread))
