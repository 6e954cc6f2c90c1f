"""Alerts: a pause between two messages of other bots in one thread, against loops between bots.

Pure but for its bounded memory.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

REMEMBERED = 10_000
"""Threads remembered; the least recently accepted one is forgotten first."""


class Alerts:
    """Time of the last accepted bot message, by thread."""

    def __init__(self, pause: timedelta = timedelta(minutes=10)) -> None:
        self._pause = pause
        self._taken: OrderedDict[str, datetime] = OrderedDict()

    def take(self, thread_id: str, now: datetime) -> bool:
        """Return whether a bot's message may be accepted in this thread now; if so, the pause starts."""
        last = self._taken.get(thread_id)
        if last is not None and timedelta() <= now - last < self._pause:  # the clock may have been set back
            return False
        self._taken[thread_id] = now
        self._taken.move_to_end(thread_id)
        if len(self._taken) > REMEMBERED:
            self._taken.popitem(last=False)
        return True
