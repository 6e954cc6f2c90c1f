"""The acks that Slack waits for, and the turn of all that can wait for them.

In a burst the event loop takes messages in first. What is on disk and can be done a little later (an investigation, a
question that is due, the signs under one) has its turn between two bursts, and one at a time where there is none.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 0.05
"""Seconds that one piece of work waits for the acks once its turn has come."""


class Acks:
    """How many acks are outstanding."""

    def __init__(self) -> None:
        self._outstanding = 0
        self._none = asyncio.Event()
        self._none.set()
        self._turn = asyncio.Lock()

    @property
    def are_due(self) -> bool:
        """Whether Slack waits for one."""
        return self._outstanding > 0

    @contextmanager
    def due(self) -> Iterator[None]:
        """Count an ack as outstanding."""
        self._outstanding += 1
        self._none.clear()
        try:
            yield
        finally:
            self._outstanding -= 1
            if not self._outstanding:
                self._none.set()

    async def given(self) -> None:
        """Return when none is outstanding and all who asked before have had their turn, or the turn has come."""
        if not self._outstanding and not self._turn.locked():
            return
        async with self._turn:
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST):
                    await self._none.wait()
            await asyncio.sleep(0)
