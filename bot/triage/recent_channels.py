"""Recent channels (`Channels`): what Slack said of a channel a moment ago, so that a burst of questions asks it once.

For what may be a few seconds old; whoever is about to post asks Slack itself.
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
    """Asks `channels` about each channel at most once in ten seconds."""

    channels: Channels
    clock: Clock
    _known: dict[str, tuple[datetime, dict[str, Any]]] = field(default_factory=dict)
    _asking: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def channel(self, channel: str) -> dict[str, Any]:
        """Slack's own description of a channel. Raises as `Chat` does; a refusal is not remembered."""
        async with self._asking[channel]:
            now = self.clock.now()
            at, known = self._known.get(channel, (now, None))
            if known is None or not timedelta() <= now - at < RECENT:
                known = await self.channels.channel(channel)
                self._known[channel] = (now, known)
            return known
