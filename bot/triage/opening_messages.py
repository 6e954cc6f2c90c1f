"""Opening messages: the first messages of threads that the bot begins itself, each posted once.

The caller saves its record before it posts. After any doubt the message is looked up by the id in its metadata, so that
one record has one message, whatever is killed when.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.errors import Refused, RetryLater

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat

_ARRIVES = 5.0
"""Seconds in which a request of a dead process may still arrive."""
_SLACKS_CLOCK = timedelta(hours=1)
"""Margin for a difference between Slack's clock and this machine's."""


@dataclass(kw_only=True, repr=False)
class OpeningMessages:
    """Poster of messages whose metadata is of type `event_type` and has their id under `key`."""

    chat: Chat
    clock: Clock
    event_type: str
    key: str
    _unposted: set[str] = field(default_factory=set)
    """Ids whose message was surely not posted: nothing has to be looked up."""

    def note_unposted(self, record_id: str) -> None:
        """Note that Slack was never asked to post this message."""
        self._unposted.add(record_id)

    async def find(self, record_id: str, *, channel: str, since: datetime) -> str | None:
        """Return the ts of a message that may have been posted since then; `None` if it is not there."""
        if record_id in self._unposted:
            return None
        look = partial(
            self.chat.find_in_channel,
            channel=channel,
            oldest=f"{(since - _SLACKS_CLOCK).timestamp():.6f}",
            event_type=self.event_type,
            nonce=record_id,
            key=self.key,
        )
        ts = await look()
        if ts is None:
            await self.clock.sleep(_ARRIVES)
            ts = await look()
        if ts is None:
            self._unposted.add(record_id)
        return ts

    async def post(self, record_id: str, *, channel: str, picture: Mapping[str, Any]) -> str:
        """Post a message that is not there; return its ts. Raises `RetryLater`, `Refused` and `Uncertain`."""
        self._unposted.discard(record_id)
        try:
            return await self.chat.post(channel=channel, **picture)
        except (RetryLater, Refused):
            self._unposted.add(record_id)
            raise
