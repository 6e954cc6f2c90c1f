"""Bots as processes: starts them through `tests/torture/bot.py`, says when they are ready and how they ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

KILLED = -signal.SIGKILL


class Process:
    """One bot that was started."""

    def __init__(self) -> None:
        self.pid = 0
        self.ready = asyncio.Event()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal, unless it has ended."""
        if not self.ended.done():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def is_ready(self) -> bool:
        """Wait until it takes in messages; says whether it did before it ended."""
        ready = asyncio.create_task(self.ready.wait())
        ends: list[asyncio.Future[Any]] = [ready, self.ended]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        return self.ready.is_set()


class Nursery:
    """The process that bots are forked from."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ordered: dict[int, tuple[Process, asyncio.Future[Process]]] = {}
        self._living: dict[int, Process] = {}
        self._number = 0
        self.loaded = asyncio.Event()
        """Whether it has loaded the bot: until then nobody waits for a bot of its."""

    async def start(self, *, config: Path, home: Path, variables: dict[str, str], settling: float) -> Process:
        """A new bot; it is not ready yet."""
        assert self._process.stdin is not None
        self._number += 1
        started: asyncio.Future[Process] = asyncio.get_running_loop().create_future()
        self._ordered[self._number] = (Process(), started)
        paths = {"config": str(config), "home": str(home)}
        order = {"number": self._number, **paths, "variables": variables, "settling": settling}
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        return await started

    async def listen(self) -> None:
        """Take in what the nursery says, until it ends."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._heard(json.loads(line))

    def _heard(self, said: dict[str, Any]) -> None:
        match said:
            case {"loaded": _}:
                self.loaded.set()
            case {"started": pid, "number": number}:
                process, started = self._ordered.pop(number)
                process.pid = pid
                self._living[pid] = process
                started.set_result(process)
            case {"ready": pid}:
                self._living[pid].ready.set()
            case {"ended": pid, "code": code}:
                self._living.pop(pid).ended.set_result(code)


@asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """A nursery, ended with all its bots."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.torture.bot"),
        cwd=ROOT,
        env={
            key: value for key, value in os.environ.items() if not key.startswith(("SLACK_", "TRIAGE_", "ANTHROPIC_"))
        },
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    made = Nursery(process)
    listening = asyncio.create_task(made.listen())
    loading = asyncio.create_task(made.loaded.wait())
    try:
        await asyncio.wait([loading, listening], return_when=asyncio.FIRST_COMPLETED)
        loading.cancel()
        yield made
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        await listening
