"""In-memory index of open created tasks, and of changes of the threads that they depend on."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.hooks import TaskObserver


class TaskIndex:
    """Created tasks that are not over, by thread. Rebuilt at start."""

    def __init__(self) -> None:
        self.open: dict[str, Thread] = {}
        self.news = asyncio.Event()
        """Set when a task may start that could not before."""
        self._dependents: Counter[str] = Counter()
        self._is_released = False
        self._changed: dict[str, Thread] = {}
        self._removed: list[str] = []
        self.observers: list[TaskObserver] = []

    @property
    def dependencies(self) -> frozenset[str]:
        """Return the threads that open tasks depend on."""
        return frozenset(self._dependents)

    def has_root(self, channel: str, ts: str) -> bool:
        """Return whether a message of the bot opened the thread of an open task (`TaskRootsPort`)."""
        return any(thread_id.endswith(f"-{channel}-{ts}") for thread_id in self.open)

    def note(self, thread: Thread) -> None:
        """Index a saved document."""
        if thread.order is None and thread.thread_id not in self._dependents:
            return
        before = self.open.pop(thread.thread_id, None)
        self._dependents -= _count_dependencies(before)
        if thread.is_about_order and thread.is_open:
            self.open[thread.thread_id] = thread
            self._dependents += _count_dependencies(thread)
        self._changed[thread.thread_id] = thread
        self.news.set()
        for observer in self.observers:
            observer.note_task(thread)

    def release(self) -> None:
        """Note that Triage or a project was resumed."""
        self._is_released = True
        self.news.set()

    def take_release(self) -> bool:
        """Return whether something was resumed since the last call."""
        is_released, self._is_released = self._is_released, False
        return is_released

    def forget(self, thread_id: str) -> None:
        """Note that a closed thread was removed."""
        self._removed.append(thread_id)
        self.news.set()

    def take_removed(self) -> list[str]:
        """Remove and return the ids of removed threads."""
        removed, self._removed = self._removed, []
        return removed

    def take_changes(self) -> list[Thread]:
        """Remove and return the newest documents of tasks, and of the threads that they depend on."""
        changed, self._changed = [*self._changed.values()], {}
        return changed


def _count_dependencies(thread: Thread | None) -> Counter[str]:
    return Counter(thread.order.depends_on if thread and thread.order else ())
