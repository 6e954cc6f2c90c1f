"""Card channel: the private channel for cards, used only while nobody else reads it and the bot can write there.

Cards show unapproved drafts, so Slack is asked for its readers before one is shown there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.card import CardPlace
    from bot.models.thread import Thread
    from bot.ports.access import AccessCheck, CurrentLosses


@dataclass(kw_only=True)
class CardChannel:
    """The card channel; `channel` is `approval.queue_channel`, if set."""

    channel: str | None = None
    places: Mapping[str, CardPlace] = field(default_factory=dict)
    """Place of the cards, by channel of the question, if not the operator's direct message."""
    losses: CurrentLosses | None = None
    """Losses, among them the card channel's, in which cards go to direct messages; `None` in tests that need none."""
    access: AccessCheck | None = None
    """Check of the channel before a card is shown there; set once it is built."""

    def channel_of(self, thread: Thread) -> str | None:
        """Return the channel for a thread's card, as far as is known; `None` for its operator's direct message."""
        return self.now if self.places.get(thread.chat_id) == "channel" else None

    async def open_for(self, thread: Thread) -> str | None:
        """Return the same after asking Slack: before something is shown there."""
        return await self.open() if self.places.get(thread.chat_id) == "channel" else None

    async def open(self) -> str | None:
        """Return the channel, if unapproved drafts may be shown there now."""
        try:
            if self.channel and self.access:
                await self.access.look(self.channel)
        except Refused:  # its readers are unknown
            return None
        return self.now

    @property
    def now(self) -> str | None:
        """Return the same, as far as is known."""
        is_lost = self.channel is not None and self.losses is not None and self.losses.is_lost(self.channel)
        return None if is_lost else self.channel

    def is_closed(self, channel: str | None) -> bool:
        """Return whether messages in this channel must no longer be there."""
        return channel is not None and channel == self.channel and self.now is None
