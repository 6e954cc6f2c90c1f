"""Replies that came before their question: Slack promises no order, and a reply alone asks nothing."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.message import Message

CAPACITY = 1_000
"""How many replies are remembered; the oldest is forgotten first."""


class Early:
    """Replies in threads that are not open, the newest ones."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._replies: OrderedDict[tuple[str, str], Message] = OrderedDict()

    def keep(self, reply: Message) -> None:
        """Remember a reply whose thread may open yet."""
        self._replies[reply.home, reply.message_id] = reply
        if len(self._replies) > self._capacity:
            self._replies.popitem(last=False)

    def homes(self) -> set[str]:
        """The threads in which there are any."""
        return {home for home, _ in self._replies}

    def taken(self, home: str) -> list[Message]:
        """The replies in this thread, in the order of their writing; they are forgotten."""
        keys = sorted(key for key in self._replies if key[0] == home)
        return [self._replies.pop(key) for key in keys]
