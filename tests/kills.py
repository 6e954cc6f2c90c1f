"""Kills of a bot in a test's own process: it ends before one of its operations, and does nothing any more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

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
    """Work until the end, or until the kill; what threads of a killed bot still write is done when this returns."""
    threads = ThreadPoolExecutor(thread_name_prefix="bot")
    asyncio.get_running_loop().set_default_executor(threads)
    failpoints.arm(kill.watch)
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
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
            threads.shutdown(cancel_futures=True)
        failpoints.arm(None)
