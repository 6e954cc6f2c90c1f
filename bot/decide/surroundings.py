"""What is known around each message: who opened its thread, who wrote last. Two bounded memories and no clock.

Fed with every message in order, by `intake/watcher` as they come in and by the commands that go through a stream.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from bot.models.context import Context

if TYPE_CHECKING:
    from bot.models.message import Message

T = TypeVar("T")

REMEMBERED = 10_000
"""How many threads, and how many places, are remembered; the ones that were quiet longest are forgotten first."""

SHORT_WHILE = timedelta(minutes=10)
"""How long an author's next message belongs to the one before."""

IN_TALK = timedelta(minutes=3)
"""How long a message of somebody else in a channel may be what the next one answers."""


class Surroundings:
    """A memory of threads and of who wrote last in each. Ask it once for each message: it notes what it is asked."""

    def __init__(self, *, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._askers: OrderedDict[str, str] = OrderedDict()
        self._last: OrderedDict[str, tuple[str, datetime]] = OrderedDict()

    def context_of(self, message: Message) -> Context:
        """What is known around this message, before it; then it is part of what is known."""
        author, is_reply = message.sender.id, message.thread_id is not None
        place = message.thread_id or message.chat_id
        context = Context(
            is_reply=is_reply,
            by_asker=is_reply and self._askers.get(message.home) == author,
            asker_wrote_before=self._wrote_before(place, author, message.create_time),
            by_bot=message.sender.type == "bot",
            opens=not is_reply and message.sender.type == "user" and self._is_quiet(place, author, message.create_time),
        )
        if not is_reply:
            _keep(self._askers, message.home, author, self._remembered)
            _keep(self._last, message.home, (author, message.create_time), self._remembered)
        _keep(self._last, place, (author, message.create_time), self._remembered)
        return context

    def _is_quiet(self, place: str, author: str, at: datetime) -> bool:
        last = self._last.get(place)
        return last is None or last[0] == author or at - last[1] >= IN_TALK

    def _wrote_before(self, place: str, author: str, at: datetime) -> bool:
        last = self._last.get(place)
        return last is not None and last[0] == author and timedelta() <= at - last[1] < SHORT_WHILE


def _keep(memory: OrderedDict[str, T], key: str, value: T, most: int) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > most:
        memory.popitem(last=False)
