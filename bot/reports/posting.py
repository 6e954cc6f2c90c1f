"""Posting of reports: once for each day, also after a crash between the post and its record.

Each report carries a nonce of its kind and day, which is searched in Slack before posting.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.announcement import build_announcement
from bot.decide.information_flow import is_shared_externally
from bot.errors import Refused
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from datetime import date

    from blocks.announcement import Announcement
    from bot.ports.access import Members
    from bot.ports.outbound import Clock
    from bot.ports.slack import Channels, Chat

log = logging.getLogger(__name__)

LOOKED_BACK = timedelta(days=2)
"""Age up to which a posted report is searched; one may be a day late, and the clock may be set back."""


@dataclass(frozen=True, kw_only=True)
class Posting:
    """Poster of reports to `channel`; without one, or if another company reads it, to direct messages of the named
    people, except those who are no members."""

    chat: Chat
    channels: Channels
    members: Members
    clock: Clock
    channel: str | None

    async def post(self, announcement: Announcement, name: str, day: date, *, people: tuple[str, ...]) -> None:
        """Post a report unless it is posted already. Raises `RetryLater` and `Uncertain`; a repeated call searches for
        it first.

        People whom Slack refuses are skipped with a log entry.
        """
        public = self.channel if self.channel and not await self._is_read_by_others(self.channel) else None
        for person in people if public is None else ("",):
            try:
                if public is None and await self.members.is_barred(person):
                    log.warning("%s of %s is not for %s: they are no member of this workspace", name, day, person)
                    continue
                channel = public or await self.chat.open_dm(person)
                await self._post_in(channel, announcement, nonce=f"{name}-{day.isoformat()}")
            except Refused as problem:
                log.warning("%s of %s did not reach %s: %s", name, day, person or public, problem)

    async def _is_read_by_others(self, channel: str) -> bool:
        """Return whether another company reads the channel, where no report may name other channels or their
        questions."""
        is_read = is_shared_externally(await self.channels.channel(channel))
        if is_read:
            log.warning("reports.channel: %s is shared with another company; reports go to direct messages", channel)
        return is_read

    async def _post_in(self, channel: str, announcement: Announcement, *, nonce: str) -> None:
        oldest = f"{(self.clock.now() - LOOKED_BACK).timestamp():.6f}"
        posted_ts = await self.chat.find_in_channel(channel=channel, oldest=oldest, event_type=NOTICE, nonce=nonce)
        if posted_ts is None:
            metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": nonce}}
            await self.chat.post(channel=channel, metadata=metadata, **build_announcement(announcement))
