"""Channels that commands create for projects: their orders, saved before Slack is called, and what became of them."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.models.fact import Fact
from bot.models.message import SlackId

CLOCK_MARGIN = timedelta(hours=1)
"""Margin for a difference between Slack's clock and this machine's."""


class SlackChannel(Fact):
    """A channel as Slack describes it."""

    channel_id: SlackId
    name: str
    creator: str
    created_at: datetime


class ChannelOrder(Fact):
    """A project that is created together with its channel, until both are there."""

    project: str
    given: dict[str, str]
    """The project's keys, as in `StoredProject.given`."""
    by: SlackId
    """The person who gave the command."""
    at: datetime
    """The time before the first call to Slack."""
    channel: SlackChannel | None = None
    """The channel, once it is created."""

    def is_own(self, channel: SlackChannel, bot_user: str) -> bool:
        """Return whether a channel of the ordered name was created by this order: by the bot, and not before it."""
        return channel.creator == bot_user and channel.created_at > self.at - CLOCK_MARGIN


class CreatedChannel(Fact):
    """A channel that a command created; it is watched."""

    name: str
    project: str
    """The project that it was created for."""
    by: SlackId
    """The person who gave the command."""
    created_at: datetime
    """The time by Slack's clock."""
    is_settled: bool = False
    """True once the person was invited, and the messages since its creation are being read."""
