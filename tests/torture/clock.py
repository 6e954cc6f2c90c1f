"""A clock that a test moves from outside: the harness writes into a small file that the bot's process has mapped.

Two things may happen to a clock. It is *set*: the time of day jumps, and nobody wakes earlier or later by that. Or time
*passes*, faster than it does: then who sleeps wakes.
"""

from __future__ import annotations

import asyncio
import mmap
import secrets
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

_FORM = struct.Struct("dd")
_LOOK = 0.05
"""Seconds between two looks of a sleeper."""


class Hands:
    """The harness's side: makes the file at `path` and moves the clock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._set = self._passed = 0.0
        self._write()

    def set(self, seconds: float) -> None:
        """Set the time of day on, or back."""
        self._set += seconds
        self._write()

    def passes(self, seconds: float) -> None:
        """Let so much time pass in one step."""
        self._passed += seconds
        self._write()

    @asynccontextmanager
    async def run(self, factor: float) -> AsyncIterator[None]:
        """Let time pass so many times as fast meanwhile."""

        async def turn() -> None:
            while True:
                await asyncio.sleep(_LOOK)
                self.passes(_LOOK * (factor - 1))

        turning = asyncio.create_task(turn())
        try:
            yield
        finally:
            turning.cancel()

    def _write(self) -> None:
        with self._path.open("r+b" if self._path.exists() else "w+b") as file:
            file.write(_FORM.pack(self._set, self._passed))


class MovedClock:
    """The bot's side (`Clock`): real time and what the file at `path` adds to it."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._moved = mmap.mmap(file.fileno(), _FORM.size, prot=mmap.PROT_READ)

    def now(self) -> datetime:
        """The present moment in UTC."""
        return datetime.now(UTC) + timedelta(seconds=sum(_FORM.unpack(self._moved[: _FORM.size])))

    async def sleep(self, seconds: float) -> None:
        """Wait until so much time has passed."""
        end = self._elapsed() + seconds
        await asyncio.sleep(0)
        while (left := end - self._elapsed()) > 0:  # noqa: ASYNC110  # no event tells this process that its clock was moved
            await asyncio.sleep(min(left, _LOOK))

    def new_id(self) -> str:
        """A random id."""
        return secrets.token_hex(8)

    def _elapsed(self) -> float:
        passed: float = _FORM.unpack(self._moved[: _FORM.size])[1]
        return time.monotonic() + passed
