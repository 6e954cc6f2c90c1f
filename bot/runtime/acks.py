"""Pending acks of Slack events, and the queue of work that can wait for them.

In a burst the event loop accepts messages first. Work that is on disk and can be done a little later (an investigation,
a due question, reactions) runs between two bursts, or one piece at a time if the burst goes on.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from bot.runtime.durations import Durations

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 0.05
"""Maximum seconds that a piece of work at the head of the queue waits for acks."""

SHORTLY = 0.03
"""Seconds for which event handling waits in a burst; events that arrive meanwhile are handled together."""

RARE = 2.0
"""Seconds without an event after which long steps may run immediately."""


class PendingAcks:
    """Counter of outstanding acks."""

    def __init__(self) -> None:
        self._outstanding = 0
        self._last = -RARE
        self._none = asyncio.Event()
        self._none.set()
        self._turn = asyncio.Lock()
        self.durations = Durations()
        """Seconds from payloads to their acks."""

    @property
    def are_due(self) -> bool:
        """Return whether an ack is outstanding."""
        return self._outstanding > 0

    @property
    def are_rare(self) -> bool:
        """Return whether no ack is outstanding, and none was for some seconds."""
        return not self._outstanding and time.monotonic() - self._last > RARE

    def start(self) -> None:
        """Count an ack as outstanding."""
        self._last = time.monotonic()
        self._outstanding += 1
        self._none.clear()

    def finish(self) -> None:
        """Count an ack as sent, or as dropped."""
        self._outstanding -= 1
        if not self._outstanding:
            self._none.set()

    def measure(self, began: float) -> None:
        """Count the duration of an ack that was sent now, for a payload of the time `began` of `time.monotonic`."""
        self.durations.add(time.monotonic() - began)

    @contextmanager
    def track(self) -> Iterator[None]:
        """Count an ack as outstanding during the block."""
        self.start()
        try:
            yield
        finally:
            self.finish()

    async def wait_briefly(self) -> None:
        """Wait until no ack is outstanding, or `SHORTLY`: for work with priority over other work."""
        if self._outstanding:
            with suppress(TimeoutError):
                async with asyncio.timeout(SHORTLY):
                    await self._none.wait()

    async def wait_turn(self) -> None:
        """Wait for the turn in the queue, then until no ack is outstanding, or `LONGEST`."""
        if not self._outstanding and not self._turn.locked():
            return
        async with self._turn:
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST):
                    await self._none.wait()
            await asyncio.sleep(0)
