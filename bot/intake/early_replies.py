"""Early replies: replies delivered before their question, since Slack guarantees no order."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.message import Message

CAPACITY = 1_000
"""Replies remembered; the oldest is forgotten first."""


class EarlyReplies:
    """Newest replies in threads that are not open."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._replies: OrderedDict[tuple[str, str], Message] = OrderedDict()

    def keep(self, reply: Message) -> None:
        """Remember a reply whose thread may open yet."""
        self._replies[reply.home, reply.message_id] = reply
        if len(self._replies) > self._capacity:
            self._replies.popitem(last=False)

    def homes(self) -> set[str]:
        """Return the threads that have early replies."""
        return {home for home, _ in self._replies}

    def take(self, home: str) -> list[Message]:
        """Remove and return a thread's early replies, oldest first."""
        keys = sorted(key for key in self._replies if key[0] == home)
        return [self._replies.pop(key) for key in keys]
