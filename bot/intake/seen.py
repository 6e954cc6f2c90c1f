"""What has come in already: Slack delivers some things twice, under one event id or as two events of one message."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.message import Message

CAPACITY = 50_000
"""How many keys are remembered; Slack delivers at most 30,000 events an hour to an app."""


class Seen:
    """Keys of the newest arrivals, oldest forgotten first."""

    def __init__(self) -> None:
        self._keys: OrderedDict[object, None] = OrderedDict()

    def knows(self, message: Message) -> bool:
        """Whether the message's place has been seen."""
        return (message.chat_id, message.message_id) in self._keys

    def first(self, key: str | None, message: Message | None = None) -> bool:
        """Whether neither `key` nor the message's place (channel, ts) has been seen; both are remembered."""
        keys: list[object] = [key] if key else []
        if message:
            keys.append((message.chat_id, message.message_id))
        new = not any(k in self._keys for k in keys)
        for k in keys:
            self._keys[k] = None
            self._keys.move_to_end(k)
        while len(self._keys) > CAPACITY:
            self._keys.popitem(last=False)
        return new
