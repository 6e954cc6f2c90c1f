"""Messages and threads in progress: an edit waits for its message, a further message for the thread of its question."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


class InProgress:
    """Names of the messages and threads that are being assigned."""

    def __init__(self) -> None:
        self._ends: dict[str, asyncio.Event] = {}

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Make others wait for this name until the block ends, or until its release."""
        end = self._ends[name] = asyncio.Event()
        try:
            yield
        finally:
            end.set()
            if self._ends.get(name) is end:  # else the name is held again
                del self._ends[name]

    def release(self, name: str) -> None:
        """Let those who wait for this name go on."""
        if end := self._ends.get(name):
            end.set()

    async def wait(self, name: str) -> None:
        """Wait while this name is held."""
        if end := self._ends.get(name):
            await end.wait()


class Turns:
    """Turns by name: blocks of the same name run one after another, in the order in which they were entered."""

    def __init__(self) -> None:
        self._last: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def take(self, name: str) -> AsyncIterator[None]:
        """Wait for the end of the blocks of this name that were entered before, and run this one."""
        before, end = self._last.get(name), asyncio.Event()
        self._last[name] = end
        try:
            if before:
                await before.wait()
            yield
        finally:
            end.set()
            if self._last.get(name) is end:
                del self._last[name]
