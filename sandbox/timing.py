"""Clock of the workspace for everything that expires or repeats; tests can advance it.

Timers run as real time passes; `advance` runs those that become due at once, in order.
"""

import asyncio
import heapq
import itertools
from collections.abc import Callable
from typing import Any

TIDY_FROM = 1_000
"""Number of timers from which on cancelled ones are removed."""


class Timer:
    """Scheduled callback that can be cancelled."""

    __slots__ = ("act", "due")

    def __init__(self, due: float, act: Callable[[], None]) -> None:
        self.due = due
        self.act: Callable[[], None] | None = act

    def cancel(self) -> None:
        self.act = None


class Time:
    """Clock and timers. `source` is the real time in seconds; timers use the event loop's time, not `source`."""

    def __init__(self, source: Callable[[], float]) -> None:
        self.source = source
        """Real time, which `advance` does not change."""
        self._ahead = 0.0
        self._timers: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()
        self._wake: asyncio.TimerHandle | None = None
        self._wake_due = 0.0
        self._tidy_at = TIDY_FROM

    def __call__(self) -> float:
        """Return the current time in seconds since 1970."""
        return self.source() + self._ahead

    def call_later(self, seconds: float, act: Callable[[], None]) -> Timer:
        """Schedule a callback after so many seconds."""
        timer = Timer(self._elapsed() + seconds, act)
        heapq.heappush(self._timers, (timer.due, next(self._order), timer))
        self._tidy()
        self._arm()
        return timer

    def advance(self, seconds: float) -> None:
        """Advance the clock; each timer that becomes due runs at its own time."""
        end, target = self._elapsed() + seconds, self._ahead + seconds
        while self._timers and self._timers[0][0] <= end:
            timer = heapq.heappop(self._timers)[2]
            self._ahead += max(0.0, timer.due - self._elapsed())
            _run(timer)
        self._ahead = max(self._ahead, target)
        self._arm()

    async def pause(self, seconds: float) -> None:
        """Wait for some seconds of real time."""
        over = asyncio.Event()
        timer = self.call_later(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()

    async def limited(self, wanted: "asyncio.Future[Any]", seconds: float) -> bool:
        """Return whether the future is done within so many seconds."""
        waiting = asyncio.ensure_future(self.pause(seconds))
        try:
            await asyncio.wait([wanted, waiting], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        return wanted.done()

    def close(self) -> None:
        """Cancel all timers."""
        self._timers.clear()
        if self._wake:
            self._wake.cancel()

    def _elapsed(self) -> float:
        return asyncio.get_running_loop().time() + self._ahead

    def _arm(self) -> None:
        """Schedule the wake-up for the first timer."""
        if not self._timers:
            return
        due = self._timers[0][0] - self._ahead
        if self._wake is None or due < self._wake_due:
            if self._wake:
                self._wake.cancel()
            self._wake, self._wake_due = asyncio.get_running_loop().call_at(due, self._ring), due

    def _ring(self) -> None:
        self._wake = None
        self.advance(0)

    def _tidy(self) -> None:
        """Remove cancelled timers, which would pile up, since most are cancelled long before they are due."""
        if len(self._timers) < self._tidy_at:
            return
        self._timers = [entry for entry in self._timers if entry[2].act is not None]
        heapq.heapify(self._timers)
        self._tidy_at = max(TIDY_FROM, 2 * len(self._timers))


def _run(timer: Timer) -> None:
    act, timer.act = timer.act, None
    if act is not None:
        act()
