"""The private channel in which cards may stand: only while nobody else reads it, and the bot can write there.

Cards show drafts that nobody has approved, so Slack is asked who reads it before one is shown there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.models.card import CardPlace
    from bot.models.thread import Thread


async def _trusted(_channel: str) -> None:
    """Nobody looks."""


@dataclass(kw_only=True)
class CardChannel:
    """`channel` is `approval.queue_channel`, if there is one."""

    channel: str | None = None
    places: Mapping[str, CardPlace] = field(default_factory=dict)
    """Where the cards of a channel go that do not go to the operator's direct message."""
    is_lost: Callable[[str], bool] = lambda _: False
    """Whether no card may stand there at the moment: they go to direct messages then."""
    look: Callable[[str], Awaitable[None]] = _trusted
    """Brings `is_lost` up to what Slack says now; raises `RetryLater` where it says nothing."""

    def of(self, thread: Thread) -> str | None:
        """Where a thread's card stands, as far as is known; `None` where that is its operator's direct message."""
        return self.now if self.places.get(thread.chat_id) == "channel" else None

    async def open_for(self, thread: Thread) -> str | None:
        """The same, as Slack says now: before something is shown there."""
        return await self.open() if self.places.get(thread.chat_id) == "channel" else None

    async def open(self) -> str | None:
        """The channel, if unapproved drafts may be shown there now."""
        try:
            if self.channel:
                await self.look(self.channel)
        except Refused:  # nobody knows who reads it
            return None
        return self.now

    @property
    def now(self) -> str | None:
        """The same, as far as is known."""
        return None if self.channel is None or self.is_lost(self.channel) else self.channel

    def is_closed(self, channel: str | None) -> bool:
        """Return whether something stands where nothing may stand any more."""
        return channel is not None and channel == self.channel and self.now is None
