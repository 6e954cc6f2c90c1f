"""Dependencies of created tasks: whether they are completed, and their results, as their threads say."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import Unreadable
from bot.models.task_order import DependencyResult
from bot.models.task_status import find_task_status

if TYPE_CHECKING:
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.ports.outbound import Store

log = logging.getLogger(__name__)

MAX_INPUT_CHARS = 24_000
"""Characters of all results that a task reads; each has at least `MIN_RESULT_CHARS` of them."""
MIN_RESULT_CHARS = 1_000
_TITLE = 120


@dataclass(kw_only=True, repr=False)
class Dependencies:
    """Reader of dependencies; results of completed ones are kept until their thread changes."""

    store: Store
    _completed: dict[str, DependencyResult] = field(default_factory=dict)
    _open: dict[str, str] = field(default_factory=dict)
    """Names of those that are not completed."""

    def forget(self, thread_id: str) -> None:
        """Forget a thread that has changed."""
        self._completed.pop(thread_id, None)
        self._open.pop(thread_id, None)

    def is_known_completed(self, thread_id: str) -> bool:
        """Return whether a task is completed as far as it was read; no document is read for it."""
        return thread_id in self._completed

    async def list_open(self, order: TaskOrder) -> list[str]:
        """Return the names of the tasks that are not completed; of one that is gone or unreadable its thread's id."""
        for thread_id in order.depends_on:
            if thread_id not in self._completed and thread_id not in self._open:
                await self._read(thread_id)
        return [self._open[thread_id] for thread_id in order.depends_on if thread_id not in self._completed]

    async def read_results(self, order: TaskOrder) -> tuple[DependencyResult, ...]:
        """Return the results of the completed tasks, in order, shortened to what a run reads."""
        await self.list_open(order)
        results = [self._completed[each] for each in order.depends_on if each in self._completed]
        room = max(MIN_RESULT_CHARS, MAX_INPUT_CHARS // max(1, len(results)))
        return tuple(result.evolve(text=_cut(result.text, room)) for result in results)

    async def _read(self, thread_id: str) -> None:
        try:
            thread = await self.store.load(thread_id)
        except Unreadable as problem:
            log.warning("a task that others depend on: %s", problem)
            thread = None
        if thread and is_completed(thread):
            self._completed[thread_id] = _build_result(thread)
        else:
            self._open[thread_id] = thread.task if thread else thread_id


def is_completed(thread: Thread) -> bool:
    """Return whether a task is completed: a further question in its thread does not open it again."""
    return find_task_status(thread) == "COMPLETED"


def _build_result(thread: Thread) -> DependencyResult:
    draft, order = thread.draft_pending, thread.order
    is_answered = thread.outcome in ("replied", "practice") and draft is not None
    text = order.result if order else draft.text if is_answered and draft else ""
    title = order.title if order else " ".join(thread.search_text.split())
    return DependencyResult(thread_id=thread.thread_id, task=thread.task, title=title[:_TITLE], text=text)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"
