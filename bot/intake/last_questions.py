"""Last questions: the newest question of a channel's last speaker, which their next message may settle.

Only the messages' own times count; replies in threads are not remembered. Pure but for its bounded memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from operator import attrgetter
from typing import NamedTuple

PLACES = 10_000
"""Channels remembered; the least recently used one is forgotten first."""
MAX_MESSAGES = 100
"""Messages remembered for each channel; the oldest are forgotten first."""

DAY = 24 * 3600 * 1_000_000
"""Microseconds."""


class _Message(NamedTuple):
    at: int
    author: str
    home: str | None


def _index(messages: list[_Message], at: int) -> int:
    """Return the index of a message of this time, by bisection only if it was delivered late."""
    return bisect_left(messages, at, key=_at) if messages and messages[-1].at >= at else len(messages)


_at = attrgetter("at")


class LastQuestions:
    """Authors and questions of the newest messages of each channel."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, list[_Message]] = OrderedDict()

    def note(self, channel: str, at: int, author: str, home: str | None) -> None:
        """Remember a message of the channel itself; `home` is the thread of its question, if any."""
        messages = self._places.setdefault(channel, [])
        self._places.move_to_end(channel)
        if len(self._places) > PLACES:
            self._places.popitem(last=False)
        index = _index(messages, at)
        if index < len(messages) and messages[index].at == at:
            del messages[index]
        messages.insert(index, _Message(at, author, home))
        del messages[:-MAX_MESSAGES]

    def before(self, channel: str, at: int, author: str) -> str | None:
        """Return the author's newest question, if nobody else has written in the channel since."""
        messages = self._places.get(channel, [])
        for message in reversed(messages[: _index(messages, at)]):
            if message.author != author:
                return None
            if message.home:
                return message.home
        return None

    def only(self, channel: str, at: int, author: str) -> str | None:
        """Return the author's newest question, if it is also their only one in the channel within a day."""
        home = self.before(channel, at, author)
        others = {each.home for each in self._places.get(channel, []) if each.author == author and at - each.at < DAY}
        return home if others <= {home, None} else None
