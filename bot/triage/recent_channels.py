"""Recent channels: a cache of channel descriptions (`Channels`), so that a burst of questions calls Slack once.

For lookups that may be a few seconds old; checks before a post call Slack directly.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ports.outbound import Clock
    from bot.ports.slack import Channels

RECENT = timedelta(seconds=10)


@dataclass(kw_only=True)
class RecentChannels:
    """Cache in front of `channels`, ten seconds for each channel."""

    channels: Channels
    clock: Clock
    _descriptions: dict[str, tuple[datetime, dict[str, Any]]] = field(default_factory=dict)
    _asking: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def channel(self, channel: str) -> dict[str, Any]:
        """Return Slack's description of a channel. Raises as `Chat` does; errors are not cached."""
        async with self._asking[channel]:
            now = self.clock.now()
            at, description = self._descriptions.get(channel, (now, None))
            if description is None or not timedelta() <= now - at < RECENT:
                description = await self.channels.channel(channel)
                self._descriptions[channel] = (now, description)
            return description
