"""Deduplication: keys of the events of one day, since Slack delivers some twice: immediately, or after hours.

Each key is stored as a 64-bit number: the newest in a set, the others in one sorted array for every six hours. At
Slack's maximum rate that takes some 20 MB, and a lookup searches up to six arrays. `fill` restores the keys from the
journal after a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from array import array
from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.models.message import Deletion, Message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Container

    from bot.models.received_payload import Payload
    from bot.ports.outbound import Journal

log = logging.getLogger(__name__)

REMEMBERED = timedelta(hours=24)
"""Minimum time for which a key is remembered; Slack redelivers events for up to a day."""

SPAN = timedelta(hours=6)
"""Time span whose keys are forgotten together."""

CAPACITY = 1_800_000
"""Maximum number of keys: Slack delivers up to 30,000 events an hour to an app, each with up to two keys."""

_PACKED_AT = 60_000
"""Maximum size of the set of the newest keys."""

PATIENCE = 10.0
"""Seconds that an event waits for the journal at most; after that a duplicate is the smaller harm."""

RECOVERED = 2_000
"""Newest records checked again at start: events are handled within milliseconds, so a crash only loses the last few."""

RECOVERED_AT_MOST = 16_000
"""Maximum of the same after a crash in a burst, whose events are acknowledged before they are classified."""

CALLED = "called"
"""Mode in the journal of a message to the bot in a channel that is not watched."""


class SeenKeys:
    """Keys by the time span of their arrival; the oldest span is forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._span = -1
        self._newest: set[int] = set()
        self._before: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return len(self._newest) + sum(map(len, self._before.values()))

    def knows(self, message: Message | Deletion) -> bool:
        """Return whether the message's channel and ts have been seen."""
        return self._is_remembered(_place_key(message.chat_id, message.message_id))

    def is_first(self, key: str | None, message: Message | None = None, *, at: datetime) -> bool:
        """Return whether neither `key` nor the message's channel and ts have been seen; remember both."""
        keys = _keys(key, message)
        new = not any(map(self._is_remembered, keys))
        self._turn_to(_span(at))
        self._newest.update(keys)
        return new

    def forget(self, key: str | None, message: Message | None = None) -> None:
        """Forget an event that was not acted on after all, so that its next delivery counts as the first."""
        for number in _keys(key, message):
            self._newest.discard(number)
            for keys in self._before.values():
                if _contains(keys, number):
                    keys.remove(number)

    def put_back(self, keys_by_span: dict[int, set[int]]) -> None:
        """Add keys by the time span of their arrival."""
        for span, keys in keys_by_span.items():
            self._before[span] = array("q", sorted(keys.union(self._before.get(span, ()))))
        while self._before and len(self) > self._capacity:
            del self._before[min(self._before)]

    def _is_remembered(self, key: int) -> bool:
        return key in self._newest or any(_contains(keys, key) for keys in self._before.values())

    def _turn_to(self, span: int) -> None:
        """Pack the newest keys at the end of their span or when the set is full; a clock set back ends no span."""
        if span <= self._span and len(self._newest) < min(_PACKED_AT, self._capacity):
            return
        newest, self._newest = self._newest, set()
        if newest:
            self.put_back({self._span: newest})
        self._span = max(span, self._span)
        for old in [old for old in self._before if old < self._span - REMEMBERED // SPAN]:
            del self._before[old]


async def fill(
    seen_keys: SeenKeys, records: AsyncIterator[dict[str, Any]], *, now: datetime, own: Container[str] = frozenset()
) -> int:
    """Add the keys of the last day's records to `seen_keys`; return the number of records.

    `own` holds the `received_at` of records that this process writes meanwhile; those are skipped.
    """
    oldest, count = now - REMEMBERED, 0
    keys: dict[int, set[int]] = {}
    async for record in records:
        at = _time_received(record)
        if at is None or at < oldest or record["received_at"] in own:
            continue
        count += 1
        span_keys = keys.setdefault(_span(at), set())
        if event := record.get("event_id"):
            span_keys.add(_number(event))
        if record.get("kind") == "message" and "message_id" in record:
            span_keys.add(_place_key(record["chat_id"], record["message_id"]))
    seen_keys.put_back(keys)
    return count


def _time_received(record: dict[str, Any]) -> datetime | None:
    try:
        at = datetime.fromisoformat(record["received_at"])
    except (KeyError, TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _span(at: datetime) -> int:
    return int(at.timestamp() // SPAN.total_seconds())


def _keys(key: str | None, message: Message | None) -> list[int]:
    keys = [_number(key)] if key else []
    return [*keys, _place_key(message.chat_id, message.message_id)] if message else keys


def _place_key(channel: str, ts: str) -> int:
    return _number(f"{channel} {ts}")


def _number(key: str) -> int:
    """Return Python's hash: 64 bits, salted in each process, so that nobody can choose keys that collide."""
    return hash(key)


def _contains(keys: array[int], key: int) -> bool:
    place = bisect_left(keys, key)
    return place < len(keys) and keys[place] == key


class DeduplicationReplay:
    """One-time replay of the journal into `SeenKeys`."""

    def __init__(self, seen_keys: SeenKeys) -> None:
        self._seen = seen_keys
        self._done: asyncio.Event | None = None
        """Set when the journal has been read; `None` before the replay starts."""
        self._began: datetime | None = None
        self._own: set[str] = set()
        """`received_at` of the records that this process has written meanwhile."""

    def note_written(self, received_at: str) -> None:
        """Note a record that this process has written, so that the replay skips it."""
        if self._done and not self._done.is_set():
            self._own.add(received_at)

    async def read(self, events: Journal, now: datetime, *, first: Callable[[], Awaitable[None]]) -> None:
        """Run `first`, then remember all events of the last day; takes up to seconds."""
        self._began, self._done = now, asyncio.Event()
        try:
            await first()
            count = await fill(self._seen, events.records(since=now - REMEMBERED), now=now, own=self._own)
        except Exception:
            log.exception("the journal could not be read for what came in before")
        else:
            log.info("%d records of the last day are remembered", count)
        finally:
            self._done.set()
            self._own.clear()

    async def wait_until_known(self, payload: Payload | None) -> None:
        """Wait until duplicates of this payload are known; a message from after the start has none in the journal."""
        if self._done is None or self._began is None or self._done.is_set():
            return
        if isinstance(payload, Message) and payload.create_time > self._began:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._done.wait()


async def load_newest(
    events: Journal, classified: Journal
) -> tuple[list[dict[str, Any]], dict[tuple[Any, Any], dict[str, Any]]]:
    """Return the newest records, and classifications by channel and ts; more if many records are not classified yet."""
    limit = RECOVERED
    while True:
        records = await events.tail(limit)
        judged = {_channel_and_ts(record): record for record in await classified.tail(limit)}
        oldest = [_channel_and_ts(record) in judged for record in records[: limit // 4] if _is_judged(record)]
        if len(records) < limit or limit >= RECOVERED_AT_MOST or sum(oldest) * 2 >= len(oldest):
            return records, judged
        limit *= 2


def _channel_and_ts(record: dict[str, Any]) -> tuple[Any, Any]:
    return record.get("chat_id"), record.get("message_id")


def _is_judged(record: dict[str, Any]) -> bool:
    """Return whether the record is a message that gets classified."""
    return record.get("kind") == "message" and record.get("mode") not in (None, CALLED)
