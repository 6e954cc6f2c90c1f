"""Catch-up: what was said while the bot was away goes through the same door as what Slack delivers.

At start, after each reconnect, and when the bot is back in a channel, each channel is read from where it had been read
to before. Slack keeps events that were not acknowledged for a while, not for ever, and sends none of a channel that the
bot is not in; the history of the channel has them all. What comes twice is dropped by the watcher, as ever.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import Refused
from bot.runtime.retry import patiently, rest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from bot.intake.read_cursors import ReadCursors
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import History

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

EVERY = 30.0
"""Seconds between two readings of the channels, however often the socket breaks."""


@dataclass(frozen=True, kw_only=True)
class CatchUp:
    """Reads histories. `take` is the watcher's door, `roots` names the open threads of a channel by their ts."""

    history: History
    """For what somebody waits for."""
    unhurried: History
    """For what may take its time."""
    in_passing: History
    """For what is left out where it would take time."""
    take: Callable[[dict[str, Any]], Awaitable[None]]
    cursors: ReadCursors
    roots: Callable[[str], Iterable[str]]
    team_id: str
    clock: Clock
    reads_along: Callable[[str], Awaitable[bool]]
    """Whether people of another company read a channel, of which a history says nothing."""

    async def run(self, channels: Iterable[str]) -> int:
        """Take in what each channel has had since its cursor; the answer is how many messages were read.

        One that cannot be read stays behind.
        """
        count = 0
        for channel in channels:
            try:
                count += await self._channel(channel, self.cursors.points[channel])
            except Refused as problem:
                log.warning("%s is not caught up with: %s", channel, problem)
        return count

    async def thread(self, thread: Thread, *, in_passing: bool = False) -> list[dict[str, Any]]:
        """Take in what one thread has had since its newest message that is known; no patience with Slack here.

        The answer is what was read, in Slack's own shape. `in_passing` it is read only where that takes no call from
        what somebody waits for; else `RetryLater` is raised.
        """
        newest = max(message.message_id for message in thread.messages)
        history = self.in_passing if in_passing else self.history
        replies = await history.replies_since(channel=thread.chat_id, thread_ts=thread.root_ts, oldest=newest)
        is_shared = thread.external is not None and thread.external.channel
        for message in replies:
            await self.take(self._body(thread.chat_id, message, is_shared=is_shared))
            await asyncio.sleep(0)  # each may be long
        return replies

    async def _channel(self, channel: str, oldest: str) -> int:
        gap = self.cursors.gap(channel)
        messages = await self._patiently(lambda: self.unhurried.messages_since(channel=channel, oldest=oldest))
        grown = [message["ts"] for message in messages if message.get("reply_count")]
        for root in dict.fromkeys([*self.roots(channel), *grown]):
            messages += await self._replies(channel, root, oldest)
        missed = {message["ts"]: message for message in messages if message["ts"] > oldest}
        is_shared = bool(missed) and await self.reads_along(channel)
        for ts in sorted(missed):
            try:
                await self._patiently(lambda ts=ts: self.take(self._body(channel, missed[ts], is_shared=is_shared)))  # type: ignore[misc]  # bound now, not at the call
            except Exception:  # those after it were missed as well
                log.exception("the message %s of %s was not taken in", ts, channel)
            await asyncio.sleep(0)  # each may be long, and they may be many
        self.cursors.close(channel, gap, max(missed, default=""))
        return len(missed)

    async def _replies(self, channel: str, root: str, oldest: str) -> list[dict[str, Any]]:
        """What one thread has had since; nothing where its first message was deleted, which costs no other its turn."""
        try:
            return await self._patiently(
                lambda: self.unhurried.replies_since(channel=channel, thread_ts=root, oldest=oldest)
            )
        except Refused as problem:
            log.warning("the thread %s of %s is not caught up with: %s", root, channel, problem)
            return []

    def _body(self, channel: str, message: dict[str, Any], *, is_shared: bool) -> dict[str, Any]:
        """The event that Slack would have sent."""
        event = {**message, "type": "message", "channel": channel}
        said = {"team_id": self.team_id, "is_ext_shared_channel": is_shared, "event": event}
        return {"type": "event_callback", **said, "caught_up": True}

    async def _patiently(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        return await patiently(self.clock, call, after=1.0)


@dataclass(kw_only=True)
class CatchUps:
    """Catches up after each socket that is opened, and with channels that the bot is back in; several together where
    they come one after the other.

    Each reading takes calls, and a press waits in line behind them. `read` is `CatchUp.run`, `save` keeps the cursors.
    """

    read: Callable[[Iterable[str]], Awaitable[int]]
    save: Callable[[], Awaitable[None]]
    cursors: ReadCursors
    clock: Clock
    _missed: set[str] = field(default_factory=set)
    """The channels to read."""
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _is_back: asyncio.Event = field(default_factory=asyncio.Event)

    def lost(self, channel: str) -> None:
        """Note that nothing is heard in a channel from now on."""
        if channel in self.cursors.points and self.cursors.hold(channel):
            self._news.set()

    def missed(self, channels: Iterable[str]) -> None:
        """Have channels read from where they were read to, since something may have been missed there."""
        for channel in self.cursors.points.keys() & set(channels):
            self.cursors.hold(channel)
            self._missed.add(channel)
        self._news.set()

    def back(self, channels: Iterable[str]) -> None:
        """Have those of the channels read that are behind, without the wait that holds sockets together."""
        if behind := [channel for channel in channels if self.cursors.gap(channel) is not None]:
            self.missed(behind)
            self._is_back.set()

    async def run(self) -> None:
        """Read what is missed, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            await self.save()
            channels, self._missed = sorted(self._missed), set()
            self._is_back.clear()
            if not channels:
                continue
            try:
                count = await self.read(channels)
            except Exception:
                log.exception("catching up broke")
            else:
                log.info("caught up with %d messages", count)
            await self.save()
            await rest(self.clock, EVERY, unless=self._is_back)
