"""Catch-up: what was said while the bot was away goes through the same door as what Slack delivers.

Called by `app` at start and after each reconnect, with where each channel had been read to before. Slack keeps events
that were not acknowledged for a while, not for ever; the history of the channel has them all. What comes twice is
dropped by the watcher, as ever.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import Refused
from bot.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from bot.models.thread import Thread
    from bot.ports import Clock
    from bot.slack_ports import History

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
    roots: Callable[[str], Iterable[str]]
    team_id: str
    clock: Clock
    reads_along: Callable[[str], Awaitable[bool]]
    """Whether people of another company read a channel, of which a history says nothing."""

    async def run(self, read_to: Mapping[str, str]) -> int:
        """Take in what each channel has had since; `read_to` maps a channel to the ts up to which it has been read.

        The answer is how many messages were read.
        """
        count = 0
        for channel, oldest in read_to.items():
            try:
                count += await self._channel(channel, oldest)
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
    """Catches up after each socket that is opened, with several together where they come one after the other.

    Each reading takes calls, and a press waits in line behind them. `read` is `CatchUp.run`.
    """

    read: Callable[[Mapping[str, str]], Awaitable[int]]
    clock: Clock
    _missed: dict[str, str] = field(default_factory=dict)
    _running: bool = False

    def missed(self, read_to: Mapping[str, str]) -> bool:
        """Note where each channel had been read to; says whether `run` has to be started."""
        self._missed = {**read_to, **self._missed}
        idle, self._running = not self._running, True
        return idle

    async def run(self) -> None:
        """Read until nothing is missed any more."""
        while self._missed:
            read_to, self._missed = self._missed, {}
            try:
                count = await self.read(read_to)
            except Exception:
                log.exception("catching up broke")
            else:
                log.info("caught up with %d messages", count)
            await self.clock.sleep(EVERY)
        self._running = False
