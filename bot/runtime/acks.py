"""The acks that Slack waits for, and the turn of all that can wait for them.

In a burst the event loop takes messages in first. What is on disk and can be done a little later (an investigation, a
question that is due, the signs under one) has its turn between two bursts, and one at a time where there is none.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 0.05
"""Seconds that one piece of work waits for the acks once its turn has come."""

SHORTLY = 0.03
"""Seconds for which the work on events waits in a burst; what has come by then is taken together."""

RARE = 2.0
"""Seconds without an event after which nothing waits for a long step."""


class Acks:
    """How many acks are outstanding."""

    def __init__(self) -> None:
        self._outstanding = 0
        self._last = -RARE
        self._none = asyncio.Event()
        self._none.set()
        self._turn = asyncio.Lock()

    @property
    def are_due(self) -> bool:
        """Return whether Slack waits for one."""
        return self._outstanding > 0

    @property
    def are_rare(self) -> bool:
        """Return whether Slack waits for none, and has waited for none for some seconds."""
        return not self._outstanding and time.monotonic() - self._last > RARE

    def more(self) -> None:
        """Count an ack as outstanding."""
        self._last = time.monotonic()
        self._outstanding += 1
        self._none.clear()

    def fewer(self) -> None:
        """It was given, or is not to be."""
        self._outstanding -= 1
        if not self._outstanding:
            self._none.set()

    @contextmanager
    def due(self) -> Iterator[None]:
        """Count an ack as outstanding meanwhile."""
        self.more()
        try:
            yield
        finally:
            self.fewer()

    async def lull(self) -> None:
        """Return when none is outstanding, or shortly after all the same: for work that comes before other work."""
        if self._outstanding:
            with suppress(TimeoutError):
                async with asyncio.timeout(SHORTLY):
                    await self._none.wait()

    async def given(self) -> None:
        """Return when none is outstanding and all who asked before have had their turn, or the turn has come."""
        if not self._outstanding and not self._turn.locked():
            return
        async with self._turn:
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST):
                    await self._none.wait()
            await asyncio.sleep(0)
