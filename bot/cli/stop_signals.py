"""Signals that end `triage run`, and waiting for work that they may interrupt."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

Answer = TypeVar("Answer")


async def await_or_stop(
    stop: asyncio.Future[None], work: Coroutine[Any, Any, Answer], *further: asyncio.Future[Any]
) -> Answer | None:
    """Await `work`; return `None` when the stop signal, or one of `further` ends, comes first."""
    task = asyncio.ensure_future(work)
    ends: list[asyncio.Future[Any]] = [task, stop, *further]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return None


@dataclass(frozen=True)
class StopSignals:
    """Signals that end this process: SIGTERM lets work under way end, every other one and a second one do not."""

    first: asyncio.Future[None]
    at_once: asyncio.Future[None]

    @classmethod
    def listen(cls, *, with_stdin: bool) -> StopSignals:
        """Take the signals of the running loop, and with `with_stdin` the end of standard input."""
        loop = asyncio.get_running_loop()
        signals = cls(loop.create_future(), loop.create_future())
        loop.add_signal_handler(signal.SIGTERM, signals.end)
        loop.add_signal_handler(signal.SIGINT, signals.end_at_once)
        if with_stdin:
            stdin = sys.stdin.fileno()

            def on_stdin() -> None:
                if not os.read(stdin, 1024):
                    loop.remove_reader(stdin)
                    signals.end_at_once()

            loop.add_reader(stdin, on_stdin)
        return signals

    def end(self) -> None:
        """End when work under way has ended; at once if that was said before."""
        if self.first.done():
            self.end_at_once()
        else:
            self.first.set_result(None)

    def end_at_once(self) -> None:
        """End without waiting for work, which the next process goes on with."""
        for each in (self.first, self.at_once):
            if not each.done():
                each.set_result(None)
