"""Counts of open threads, kept with each saved document: reading them costs the same however many there are."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.queue_order import waits_since
from bot.models.task_status import find_task_status

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.status import Status
    from bot.models.task_status import TaskStatus
    from bot.models.thread import Thread

_SPARE = 1_000
"""Entries of a heap that need not be current: it is rebuilt when they, and half of it, are not."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """Counted part of an open thread."""

    status: Status
    task_status: TaskStatus
    since: datetime
    is_card: bool
    is_task: bool


class OpenCounts:
    """Numbers of open threads by status, and the oldest of each status."""

    def __init__(self) -> None:
        self.cards = 0
        """Cards that wait for a decision and are not held back."""
        self._entries: dict[str, _Entry] = {}
        self._statuses: Counter[Status] = Counter()
        self._task_statuses: Counter[TaskStatus] = Counter()
        self._oldest: defaultdict[Status, list[tuple[datetime, str]]] = defaultdict(list)

    def statuses(self) -> Counter[Status]:
        """Return the number of open threads by status."""
        return +self._statuses

    def task_statuses(self) -> Counter[TaskStatus]:
        """Return the number of open threads by the status of their task, whatever that depends on."""
        return +self._task_statuses

    def note(self, thread: Thread) -> None:
        """Count a saved document in place of its earlier state."""
        before = self._entries.pop(thread.thread_id, None)
        if before:
            self._add(before, -1)
        if not thread.is_open:
            return
        is_card = thread.status == "pending-user" and not thread.held_low
        is_task = thread.order is not None and thread.is_about_order
        entry = _Entry(thread.status, find_task_status(thread), waits_since(thread), is_card, is_task)
        self._entries[thread.thread_id] = entry
        self._add(entry, 1)
        if not is_task and (before is None or (before.status, before.since, before.is_task) != _key(entry)):
            self._push(thread.thread_id, entry)

    def oldest(self, *statuses: Status) -> datetime | None:
        """Return the time since when the oldest question with one of these statuses waits; not of created tasks."""
        return min((since for status in statuses if (since := self._find_oldest(status))), default=None)

    def _add(self, entry: _Entry, number: int) -> None:
        self._statuses[entry.status] += number
        self._task_statuses[entry.task_status] += number
        self.cards += number * entry.is_card

    def _push(self, thread_id: str, entry: _Entry) -> None:
        heap = self._oldest[entry.status]
        heapq.heappush(heap, (entry.since, thread_id))
        if len(heap) > _SPARE + 2 * self._statuses[entry.status]:
            heap[:] = {each for each in heap if self._is_current(entry.status, *each)}
            heapq.heapify(heap)

    def _find_oldest(self, status: Status) -> datetime | None:
        heap = self._oldest[status]
        while heap and not self._is_current(status, *heap[0]):
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def _is_current(self, status: Status, since: datetime, thread_id: str) -> bool:
        entry = self._entries.get(thread_id)
        return entry is not None and (status, since, False) == _key(entry)


def _key(entry: _Entry) -> tuple[Status, datetime, bool]:
    return entry.status, entry.since, entry.is_task
