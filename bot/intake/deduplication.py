"""What has come in already, for a day: Slack delivers some things twice, at once, after minutes or after hours.

Only a number is kept of each key: the newest ones in a set, the others in one sorted array of eight bytes a key for
every six hours, so that the most that Slack delivers takes some twenty megabytes and a look at six places. `fill` puts
back what the journal knows from before a restart.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Container

    from bot.models.message import Message

REMEMBERED = timedelta(hours=24)
"""How long a key is remembered at least; Slack's delayed events come for a day."""

SPAN = timedelta(hours=6)
"""Keys of so much time are forgotten together."""

CAPACITY = 1_800_000
"""How many keys at most: Slack delivers 30,000 events an hour to an app, and each has up to two."""

_PACKED_AT = 60_000
"""How many keys the set of the newest ones may hold."""


class SeenKeys:
    """Keys by the span of time in which they came; the oldest span is forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._span = -1
        self._newest: set[int] = set()
        self._before: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return len(self._newest) + sum(map(len, self._before.values()))

    def knows(self, message: Message) -> bool:
        """Return whether the message's place has been seen."""
        return self._has(_place(message.chat_id, message.message_id))

    def first(self, key: str | None, message: Message | None = None, *, at: datetime) -> bool:
        """Return whether neither `key` nor the message's place (channel, ts) has been seen; both are remembered."""
        keys = _keys(key, message)
        new = not any(map(self._has, keys))
        self._turn_to(_span(at))
        self._newest.update(keys)
        return new

    def forget(self, key: str | None, message: Message | None = None) -> None:
        """It was not acted on after all: the next delivery counts as the first."""
        for gone in _keys(key, message):
            self._newest.discard(gone)
            for keys in self._before.values():
                if _holds(keys, gone):
                    keys.remove(gone)

    def put_back(self, found: dict[int, set[int]]) -> None:
        """Take in keys by the span in which they came."""
        for span, keys in found.items():
            self._before[span] = array("q", sorted(keys.union(self._before.get(span, ()))))
        while self._before and len(self) > self._capacity:
            del self._before[min(self._before)]

    def _has(self, key: int) -> bool:
        return key in self._newest or any(_holds(keys, key) for keys in self._before.values())

    def _turn_to(self, span: int) -> None:
        """Pack the newest keys at the end of their span, or when they are many; time that goes back ends no span."""
        if span <= self._span and len(self._newest) < min(_PACKED_AT, self._capacity):
            return
        newest, self._newest = self._newest, set()
        if newest:
            self.put_back({self._span: newest})
        self._span = max(span, self._span)
        for old in [old for old in self._before if old < self._span - REMEMBERED // SPAN]:
            del self._before[old]


async def fill(
    seen: SeenKeys, records: AsyncIterator[dict[str, Any]], *, now: datetime, own: Container[str] = frozenset()
) -> int:
    """Put the keys of the last day's records into `seen`; the answer is how many records those were.

    `own` names, by `received_at`, the records that this process writes meanwhile: to those it comes by itself.
    """
    oldest, count = now - REMEMBERED, 0
    keys: dict[int, set[int]] = {}
    async for record in records:
        at = _received(record)
        if at is None or at < oldest or record["received_at"] in own:
            continue
        count += 1
        found = keys.setdefault(_span(at), set())
        if event := record.get("event_id"):
            found.add(_number(event))
        if record.get("kind") == "message" and "message_id" in record:
            found.add(_place(record["chat_id"], record["message_id"]))
    seen.put_back(keys)
    return count


def _received(record: dict[str, Any]) -> datetime | None:
    try:
        at = datetime.fromisoformat(record["received_at"])
    except (KeyError, TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _span(at: datetime) -> int:
    return int(at.timestamp() // SPAN.total_seconds())


def _keys(key: str | None, message: Message | None) -> list[int]:
    keys = [_number(key)] if key else []
    return [*keys, _place(message.chat_id, message.message_id)] if message else keys


def _place(channel: str, ts: str) -> int:
    return _number(f"{channel} {ts}")


def _number(key: str) -> int:
    """Python's own hash: 64 bits, salted anew in each process, so that nobody can choose two keys to collide."""
    return hash(key)


def _holds(keys: array[int], key: int) -> bool:
    place = bisect_left(keys, key)
    return place < len(keys) and keys[place] == key
