"""Kills of a bot in a test's own process: it ends before one of its operations, and does nothing any more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from bot.runtime import failpoints
from tests.fakes import settle


class Killed(BaseException):
    """The end of a bot in the middle of its work."""


@dataclass
class Kill:
    """A kill before the operation with this number; a killed bot does nothing any more."""

    before: int
    only: tuple[str, ...] = ()
    """Last parts of the points that count; all of them by default."""
    passed: list[str] = field(default_factory=list)
    is_dead: bool = False

    def watch(self, point: str, subject: str) -> AbstractContextManager[None]:
        """Count an operation of the bot, or end it."""
        if self.only and point.rpartition(".")[2] not in self.only:
            return nullcontext()
        self.passed.append(f"{point} {subject}")
        if len(self.passed) >= self.before:
            self.is_dead = True
            raise Killed
        return nullcontext()


async def live(work: Callable[[], Awaitable[None]], kill: Kill) -> None:
    """Work until the end, or until the kill; no thread of a killed bot writes anything after this returns."""
    failpoints.arm(kill.watch)
    with _submitted() as futures:
        task = asyncio.ensure_future(work())
        try:
            while not task.done() and not kill.is_dead:
                await asyncio.wait([task], timeout=0.002)
            await settle()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        except Killed:
            pass
        finally:
            if kill.is_dead:
                for future in futures:
                    future.cancel()
                wait(futures)
            failpoints.arm(None)


@contextmanager
def _submitted() -> Iterator[list[Future[Any]]]:
    """Record what is submitted to any pool of threads."""
    futures: list[Future[Any]] = []
    submit = ThreadPoolExecutor.submit

    def record(pool: ThreadPoolExecutor, /, *arguments: Any, **named: Any) -> Future[Any]:
        futures.append(future := submit(pool, *arguments, **named))
        return future

    with patch.object(ThreadPoolExecutor, "submit", record):
        yield futures
