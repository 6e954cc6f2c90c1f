"""Background tasks of a process, which stops when one of them breaks."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from bot.runtime.stop_request import StopRequest

log = logging.getLogger(__name__)


async def cancel_all(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks, and wait until they have ended."""
    running = [*tasks]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


class BackgroundTasks:
    """Tasks that run until they are cancelled."""

    def __init__(self, stop: StopRequest) -> None:
        self._stop = stop
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run `work` in the background."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    async def cancel(self) -> None:
        """End all tasks."""
        await cancel_all(self._tasks)

    def _finish(self, task: asyncio.Task[None]) -> None:
        """Ask for a stop if a task failed, so that the process starts again: nobody would notice otherwise."""
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()):
            log.error("%s failed", task.get_name(), exc_info=problem)
            self._stop.set(TriageError(f"{task.get_name()} failed: {problem}"))
