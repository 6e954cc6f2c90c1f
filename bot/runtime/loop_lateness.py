"""Lateness of the event loop: the time by which it does what is due later than it should."""

from __future__ import annotations

import asyncio
import math

EVERY = 1.0
"""Seconds between two measurements."""


class LoopLateness:
    """Measurement of one event loop, in seconds of its clock."""

    def __init__(self) -> None:
        self._due = math.inf
        self._last = 0.0

    async def run(self) -> None:
        """Measure until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            self.expect(loop.time() + EVERY)
            await asyncio.sleep(EVERY)
            self.arrive(loop.time())

    def expect(self, due: float) -> None:
        """Note when the next measurement is due."""
        self._due = due

    def arrive(self, now: float) -> None:
        """Note when it was made."""
        self._last = max(0.0, now - self._due)

    def seconds(self, now: float) -> float:
        """Return the lateness of the last measurement, or of one that is overdue if that is more."""
        return max(self._last, now - self._due)
