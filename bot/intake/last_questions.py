"""The last question of whoever spoke last in a channel: what they say next there may settle it. Pure, with a memory.

Only the messages' own times count, and of replies in threads nothing is kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from operator import attrgetter
from typing import NamedTuple

PLACES = 10_000
"""How many channels are remembered; the one that was quiet longest is forgotten first."""
MOST = 100
"""How many messages are remembered in each; the oldest are forgotten first."""

DAY = 24 * 3600 * 1_000_000
"""Microseconds."""


class _Message(NamedTuple):
    at: int
    author: str
    home: str | None


def _index(messages: list[_Message], at: int) -> int:
    """The place of a message of this moment: at the end, but where it came late."""
    return bisect_left(messages, at, key=_at) if messages and messages[-1].at >= at else len(messages)


_at = attrgetter("at")


class LastQuestions:
    """Who said what in each channel, and to which question it belongs."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, list[_Message]] = OrderedDict()

    def note(self, channel: str, at: int, author: str, home: str | None) -> None:
        """Take in a message that begins no thread's reply; `home` is the question that it belongs to, if any."""
        messages = self._places.setdefault(channel, [])
        self._places.move_to_end(channel)
        if len(self._places) > PLACES:
            self._places.popitem(last=False)
        index = _index(messages, at)
        if index < len(messages) and messages[index].at == at:
            del messages[index]
        messages.insert(index, _Message(at, author, home))
        del messages[:-MOST]

    def before(self, channel: str, at: int, author: str) -> str | None:
        """Return the question that this author asked last, where nobody else has spoken in the channel since."""
        messages = self._places.get(channel, [])
        for message in reversed(messages[: _index(messages, at)]):
            if message.author != author:
                return None
            if message.home:
                return message.home
        return None

    def only(self, channel: str, at: int, author: str) -> str | None:
        """Return the same where it is their only one of a day there: what they say next means no other."""
        home = self.before(channel, at, author)
        others = {each.home for each in self._places.get(channel, []) if each.author == author and at - each.at < DAY}
        return home if others <= {home, None} else None
