"""Catch-up: messages that the bot missed are read from channel histories and handled like delivered events.

At start, after each reconnect, and when the bot is back in a channel, each channel is read from its cursor on. Slack
keeps unacknowledged events only for a while, and sends none of a channel that the bot is not in; the history has all of
them. The watcher drops duplicates.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import Refused
from bot.models.message import read_edit_ts
from bot.runtime.retry import call_with_retries, sleep_unless

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from bot.intake.read_cursors import ReadCursors, SavedCursors
    from bot.intake.watcher import Watcher
    from bot.models.thread import Thread
    from bot.ports.inbound import ExternalsPort, OpenThreadsPort
    from bot.ports.outbound import Clock
    from bot.ports.slack import History, ThreadHistory

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

EVERY = 30.0
"""Seconds between two readings of the channels, even if the socket breaks more often."""


@dataclass(frozen=True, kw_only=True)
class CatchUp:
    """Reader of histories, whose messages `watcher` handles."""

    history: ThreadHistory
    """History for requests that a user waits for."""
    unhurried: History
    """History for background work."""
    in_passing: ThreadHistory
    """History that fails with `RetryLater` instead of waiting for the rate limit."""
    watcher: Watcher
    cursors: ReadCursors
    open_threads: OpenThreadsPort
    team_id: str
    clock: Clock
    externals: ExternalsPort
    """Directory of external people, who may read a channel: a history does not tell."""

    async def run(self, channels: Iterable[str]) -> int:
        """Read each channel from its cursor on; return the number of messages read.

        A channel that cannot be read stays behind.
        """
        count = 0
        for channel in channels:
            if channel not in self.cursors.points:  # no longer watched
                continue
            try:
                count += await self._channel(channel, self.cursors.points[channel])
            except Refused as problem:
                log.warning("%s is not caught up with: %s", channel, problem)
        return count

    async def thread(self, thread: Thread, *, in_passing: bool = False) -> list[dict[str, Any]]:
        """Read a thread again, without retries: take in its new messages, and edits and deletions of its question that
        no event told of. Return the new messages in Slack's shape.

        With `in_passing`, `RetryLater` is raised if the call would delay one that a user waits for.
        """
        newest = max(message.message_id for message in thread.messages)
        history = self.in_passing if in_passing else self.history
        messages = await _read_question(history, thread)
        is_shared = thread.external is not None and thread.external.channel
        for event in await _list_revisions(history, thread, messages):
            await self.watcher.caught_up(self._body(thread.chat_id, event, is_shared=is_shared))
        replies = [message for message in messages if float(message["ts"]) > float(newest)]
        for message in replies:
            await self.watcher.caught_up(self._body(thread.chat_id, message, is_shared=is_shared))
            await asyncio.sleep(0)  # each may be long
        return replies

    async def _channel(self, channel: str, oldest: str) -> int:
        gap = self.cursors.gap(channel)
        messages = await self._retry(lambda: self.unhurried.messages_since(channel=channel, oldest=oldest))
        grown = [message["ts"] for message in messages if message.get("reply_count")]
        for root in dict.fromkeys([*self.open_threads.roots(channel), *grown]):
            messages += await self._replies(channel, root, oldest)
        missed = {message["ts"]: message for message in messages if message["ts"] > oldest}
        is_shared = bool(missed) and await self.externals.has_external_readers(channel)
        for ts in sorted(missed):
            try:
                body = self._body(channel, missed[ts], is_shared=is_shared)
                await self._retry(partial(self.watcher.caught_up, body))
            except Exception:  # those after it were missed as well
                log.exception("the message %s of %s was not taken in", ts, channel)
            await asyncio.sleep(0)  # each may be long, and they may be many
        self.cursors.close(channel, gap, max(missed, default=""))
        return len(missed)

    async def _replies(self, channel: str, root: str, oldest: str) -> list[dict[str, Any]]:
        """Return a thread's replies after `oldest`; none if Slack refuses, for example because its root was deleted."""
        try:
            return await self._retry(
                lambda: self.unhurried.replies_since(channel=channel, thread_ts=root, oldest=oldest)
            )
        except Refused as problem:
            log.warning("the thread %s of %s is not caught up with: %s", root, channel, problem)
            return []

    def _body(self, channel: str, message: dict[str, Any], *, is_shared: bool) -> dict[str, Any]:
        """Build the event that Slack would have sent."""
        event = {**message, "type": "message", "channel": channel}
        payload = {"team_id": self.team_id, "is_ext_shared_channel": is_shared, "event": event}
        return {"type": "event_callback", **payload, "caught_up": True}

    async def _retry(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        return await call_with_retries(self.clock, call, after=1.0)


async def _read_question(history: ThreadHistory, thread: Thread) -> list[dict[str, Any]]:
    """Return the thread's first message and those from the current question on; none if the thread was deleted."""
    first = next((message.message_id for message in thread.question_messages), thread.root_ts)
    before = Decimal(first) - Decimal("0.000001")
    try:
        return await history.thread_since(channel=thread.chat_id, thread_ts=thread.root_ts, oldest=str(before))
    except Refused as problem:
        if problem.code == "thread_not_found":
            return []
        raise


async def _list_revisions(
    history: ThreadHistory, thread: Thread, messages: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return an event for each message of the question that was edited or deleted since its newest known text."""
    read = {message["ts"]: message for message in messages}
    events: list[dict[str, Any]] = []
    for known in thread.question_messages:
        ts = known.message_id
        if known.by_bot:
            continue
        now = read.get(ts) or await history.message(channel=thread.chat_id, ts=ts)
        if now is None:
            previous = {"ts": ts} if ts == thread.root_ts else {"ts": ts, "thread_ts": thread.root_ts}
            events.append({"subtype": "message_deleted", "deleted_ts": ts, "previous_message": previous})
        elif now.get("subtype") == "tombstone" or read_edit_ts(now) != known.edited_ts:
            events.append({"subtype": "message_changed", "message": now})
    return events


@dataclass(kw_only=True)
class CatchUps:
    """Scheduler of catch-ups, after a reconnect and in channels that the bot is back in. Reasons close together share
    one run.

    Each run uses rate-limited calls that a press would wait behind.
    """

    catch_up: CatchUp
    saved_cursors: SavedCursors
    cursors: ReadCursors
    clock: Clock
    _missed: set[str] = field(default_factory=set)
    """Channels to read."""
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _is_back: asyncio.Event = field(default_factory=asyncio.Event)

    def note_lost(self, channel: str) -> None:
        """Note that no events come from a channel from now on."""
        if channel in self.cursors.points and self.cursors.hold(channel):
            self._news.set()

    def schedule_missed(self, channels: Iterable[str]) -> None:
        """Schedule channels to be read from their cursors on, since messages may have been missed there."""
        for channel in self.cursors.points.keys() & set(channels):
            self.cursors.hold(channel)
            self._missed.add(channel)
        self._news.set()

    def schedule_all(self) -> None:
        """Read every channel from where it was read to: a socket was opened."""
        self.schedule_missed(self.cursors.points)

    def schedule_back(self, channels: Iterable[str]) -> None:
        """Schedule those of the channels that are behind, without the pause between two runs."""
        if channels_behind := [channel for channel in channels if self.cursors.gap(channel) is not None]:
            self.schedule_missed(channels_behind)
            self._is_back.set()

    async def run(self) -> None:
        """Read the scheduled channels, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            await self.saved_cursors.save()
            channels, self._missed = sorted(self._missed), set()
            self._is_back.clear()
            if not channels:
                continue
            try:
                count = await self.catch_up.run(channels)
            except Exception:
                log.exception("catching up failed")
            else:
                log.info("caught up with %d messages", count)
            await self.saved_cursors.save()
            await sleep_unless(self.clock, EVERY, unless=self._is_back)
