"""What came in before this process: read from the journal beside the work, while what may be old waits for it.

`SeenKeys` is what is remembered; this is how it is filled at a start.
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

    from bot.models.received_payload import Noun
    from bot.ports.outbound import Journal

log = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds that an event may wait for the journal to be read; acting twice on it is then the smaller harm."""

RECOVERED = 2_000
"""How many of the newest records are gone through again at start: an event is acted on within milliseconds, so a crash
leaves the last few."""

RECOVERED_AT_MOST = 16_000
"""The same where a crash has cut off a burst, whose events are acknowledged at once and judged after it."""

CALLED = "called"
"""The mode, in the journal, of what is said to the bot where no channel is watched."""


class Recollection:
    """Fills a memory from the journal once."""

    def __init__(self, seen: SeenKeys) -> None:
        self._seen = seen
        self._done: asyncio.Event | None = None
        """Not set while the journal is read."""
        self._began: datetime | None = None
        self._own: set[str] = set()
        """When each record was made that this process has written meanwhile."""

    def written(self, received_at: str) -> None:
        """This process has written a record of this time, and comes to it by itself."""
        if self._done and not self._done.is_set():
            self._own.add(received_at)

    async def read(self, events: Journal, now: datetime, *, first: Callable[[], Awaitable[None]]) -> None:
        """Remember all that came in during the last day, after `first`. It may take seconds."""
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

    async def knows(self, noun: Noun | None) -> None:
        """Return when it is known whether this came in before; a message from after the start cannot have."""
        if self._done is None or self._began is None or self._done.is_set():
            return
        if isinstance(noun, Message) and noun.create_time > self._began:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._done.wait()


async def newest(
    events: Journal, classified: Journal
) -> tuple[list[dict[str, Any]], dict[tuple[Any, Any], dict[str, Any]]]:
    """Return the newest records, and the judgements by place: more of them where many were not judged."""
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
    """Return whether the rules judge what this record tells of."""
    return record.get("kind") == "message" and record.get("mode") not in (None, CALLED)
