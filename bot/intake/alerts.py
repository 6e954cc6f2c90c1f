"""Alerts: a pause between two messages of other bots in one thread, against loops between bots.

Pure but for its bounded memory.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.message import Message

REMEMBERED = 10_000
"""Threads remembered; the least recently accepted one is forgotten first."""


class Alerts:
    """Time of the last accepted bot message, by thread, or by alert in a thread."""

    def __init__(self, pause: timedelta = timedelta(minutes=10)) -> None:
        self._pause = pause
        self._taken: OrderedDict[str, datetime] = OrderedDict()

    def accept(self, message: Message, now: datetime) -> bool:
        """Return whether a bot's message may be accepted now; an alert that is a reply has its own pause."""
        alert = message.alert
        is_own = alert is not None and not alert.is_weak and message.thread_id is not None
        return self.take(f"{message.home} {alert.fingerprint}" if alert and is_own else message.home, now)

    def take(self, name: str, now: datetime) -> bool:
        """Return whether a bot's message with a pause of this name may be accepted now; if so, the pause starts."""
        last = self._taken.get(name)
        if last is not None and timedelta() <= now - last < self._pause:  # the clock may have been set back
            return False
        self._taken[name] = now
        self._taken.move_to_end(name)
        if len(self._taken) > REMEMBERED:
            self._taken.popitem(last=False)
        return True
