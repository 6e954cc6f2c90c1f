"""How often a bot's message is taken up in one thread: the pause that keeps bots from talking in circles.

Pure but for its bounded memory.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

REMEMBERED = 10_000
"""How many threads are remembered; the one that was taken up longest ago is forgotten first."""


class Alerts:
    """When a bot's message was last taken up in each thread."""

    def __init__(self, pause: timedelta = timedelta(minutes=10)) -> None:
        self._pause = pause
        self._taken: OrderedDict[str, datetime] = OrderedDict()

    def take(self, thread_id: str, now: datetime) -> bool:
        """Return whether a bot's message may be taken up in this thread now; a yes counts as done."""
        last = self._taken.get(thread_id)
        if last is not None and timedelta() <= now - last < self._pause:  # the clock may have been set back
            return False
        self._taken[thread_id] = now
        self._taken.move_to_end(thread_id)
        if len(self._taken) > REMEMBERED:
            self._taken.popitem(last=False)
        return True
