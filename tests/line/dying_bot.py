"""A bot as `triage run` makes it, in a separate process, that is killed with SIGKILL at one save.

*before*: the effect of the status before it is done and its result is lost; *after*: the status is saved and its effect
was never started. With *never* it lives. Doubtful posts settle for less long than in the real one.

Each is forked from one process that has loaded the bot's code, which is most of a start.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.adapters.documents import Documents
from bot.adapters.home import Home
from bot.config.environment import read_environment
from bot.config.settings import load
from bot.models.thread import Thread
from bot.wiring.app import build
from tests.forks import FORKS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess
    from pathlib import Path

    from tests.line.conftest import Line

PATIENCE = 15.0
"""Seconds until a process that should be ready, or should have ended, counts as stuck."""


class DyingStore(Documents):
    """Documents whose process dies at the first save of one status."""

    def __init__(self, folder: Path, *, moment: str, status: str) -> None:
        super().__init__(folder, stop=None)
        self._moment, self._status = moment, status

    async def save(self, thread: Thread) -> Thread:
        """Save, or die just before or after it."""
        dies = thread.status == self._status
        if dies and self._moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        saved = await super().save(thread)
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return saved


class DyingBot:
    """The process, seen from the test."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process

    async def wait(self) -> int | None:
        """Wait for its end; the answer is its exit code, negative for a signal."""
        await _readable(self._process.sentinel)
        self._process.join()
        return self._process.exitcode

    def kill(self) -> None:
        """Send it SIGKILL."""
        self._process.kill()


@asynccontextmanager
async def dying(line: Line, moment: str, status: str) -> AsyncIterator[DyingBot]:
    """A bot that dies at this save of the status, once it is ready; at the end it is stopped, if it lives."""
    told, ready = FORKS.Pipe(duplex=False)
    process = FORKS.Process(
        target=_process, args=(moment, status, line.config, line.home, line.variables, ready), daemon=True
    )
    process.start()
    ready.close()
    made = DyingBot(process)
    try:
        await _readable(told.fileno())
        told.recv_bytes()  # raises EOFError when it has ended instead
        yield made
    finally:
        told.close()
        process.terminate()
        await made.wait()
        process.close()


async def _readable(descriptor: int) -> None:
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        async with asyncio.timeout(PATIENCE):
            await readable.wait()
    finally:
        loop.remove_reader(descriptor)


def _process(
    moment: str, status: str, config: Path, folder: Path, variables: dict[str, str], ready: Connection
) -> None:
    os.environ.update(variables)
    asyncio.run(_run(moment, status, config, folder, ready))


async def _run(moment: str, status: str, config: Path, folder: Path, ready: Connection) -> None:
    home = Home(folder)
    await home.lock()
    made = await build(load(config), read_environment(), home)
    made.core.orchestrator.store = DyingStore(home.state, moment=moment, status=status)
    made.delivery.search_delay_seconds = made.surfaces.views.cards.search_delay_seconds = 0.2
    await made.start()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    ready.send_bytes(b"ready")
    await stop.wait()
    await made.stop()
