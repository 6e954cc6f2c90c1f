"""Channel clearing: messages with unapproved drafts are deleted from a channel that other people can now read.

A few at a time, newest first, so that nothing else waits for it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import Refused
from bot.surfaces.card_search import CARD, OWNER_REQUEST
from bot.surfaces.long_runs import PROGRESS

if TYPE_CHECKING:
    from bot.ports.slack import OwnMessages

log = logging.getLogger(__name__)

SHOWING = frozenset({CARD, OWNER_REQUEST, PROGRESS})
"""The message types that show questions and drafts."""
AT_ONCE = 10


@dataclass(frozen=True, kw_only=True)
class ChannelClearing:
    """Deletion of such messages, once in each process for each time that a channel gets other readers."""

    slack: OwnMessages
    _left: dict[str, list[str]] = field(default_factory=dict)

    async def step(self, channel: str) -> bool:
        """Delete some messages; return whether none is left. Raises `RetryLater`."""
        if channel not in self._left:
            self._left[channel] = await self.slack.own_messages(channel=channel, types=SHOWING)
            log.info("%s: %d messages that show drafts are deleted", channel, len(self._left[channel]))
        left = self._left[channel]
        for ts in left[:AT_ONCE]:
            try:
                await self.slack.delete(channel=channel, ts=ts)
            except Refused as problem:
                log.info("a message in %s is not removed: %s", channel, problem)
            left.remove(ts)
        return not left

    def forget(self, channel: str) -> None:
        """Forget the channel: only its members read it again."""
        self._left.pop(channel, None)
