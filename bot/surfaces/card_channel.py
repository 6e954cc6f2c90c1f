"""Card channel: the private channel for cards, used only while nobody else reads it and the bot can write there.

Cards show unapproved drafts, so Slack is asked for its readers before one is shown there.
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
    """Skip the check."""


@dataclass(kw_only=True)
class CardChannel:
    """The card channel; `channel` is `approval.queue_channel`, if set."""

    channel: str | None = None
    places: Mapping[str, CardPlace] = field(default_factory=dict)
    """Place of the cards, by channel of the question, if not the operator's direct message."""
    is_lost: Callable[[str], bool] = lambda _: False
    """Predicate: no card may be shown there at the moment, so that cards go to direct messages."""
    look: Callable[[str], Awaitable[None]] = _trusted
    """Refresh of `is_lost` from Slack; raises `RetryLater` if Slack does not answer."""

    def of(self, thread: Thread) -> str | None:
        """Return the channel for a thread's card, as far as is known; `None` for its operator's direct message."""
        return self.now if self.places.get(thread.chat_id) == "channel" else None

    async def open_for(self, thread: Thread) -> str | None:
        """Return the same after asking Slack: before something is shown there."""
        return await self.open() if self.places.get(thread.chat_id) == "channel" else None

    async def open(self) -> str | None:
        """Return the channel, if unapproved drafts may be shown there now."""
        try:
            if self.channel:
                await self.look(self.channel)
        except Refused:  # its readers are unknown
            return None
        return self.now

    @property
    def now(self) -> str | None:
        """Return the same, as far as is known."""
        return None if self.channel is None or self.is_lost(self.channel) else self.channel

    def is_closed(self, channel: str | None) -> bool:
        """Return whether messages in this channel must no longer be there."""
        return channel is not None and channel == self.channel and self.now is None
