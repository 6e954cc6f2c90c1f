"""Deduplication replay: fills `SeenKeys` from the journal after a start, in the background.

Meanwhile events that may be duplicates wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any

from bot.intake.deduplication import REMEMBERED, SeenKeys, fill
from bot.models.message import Message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from bot.models.received_payload import Payload
    from bot.ports.outbound import Journal

log = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds that an event waits for the journal at most; after that a duplicate is the smaller harm."""

RECOVERED = 2_000
"""Newest records checked again at start: events are handled within milliseconds, so a crash only loses the last few."""

RECOVERED_AT_MOST = 16_000
"""Maximum of the same after a crash in a burst, whose events are acknowledged before they are classified."""

CALLED = "called"
"""Mode in the journal of a message to the bot in a channel that is not watched."""


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


async def newest(
    events: Journal, classified: Journal
) -> tuple[list[dict[str, Any]], dict[tuple[Any, Any], dict[str, Any]]]:
    """Return the newest records, and classifications by channel and ts; more if many records are not classified yet."""
    limit = RECOVERED
    while True:
        records = await events.tail(limit)
        judged = {_place(record): record for record in await classified.tail(limit)}
        oldest = [_place(record) in judged for record in records[: limit // 4] if _is_judged(record)]
        if len(records) < limit or limit >= RECOVERED_AT_MOST or sum(oldest) * 2 >= len(oldest):
            return records, judged
        limit *= 2


def _place(record: dict[str, Any]) -> tuple[Any, Any]:
    return record.get("chat_id"), record.get("message_id")


def _is_judged(record: dict[str, Any]) -> bool:
    """Return whether the record is a message that gets classified."""
    return record.get("kind") == "message" and record.get("mode") not in (None, CALLED)
