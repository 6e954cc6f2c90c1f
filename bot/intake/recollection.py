"""What came in before this process: read from the journal beside the work, while what may be old waits for it.

Called by `intake/watcher`. `Seen` is what is remembered; this is how it is filled at a start.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from bot.intake.seen import REMEMBERED, Seen, fill
from bot.models.message import Message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from bot.models.received import Noun
    from bot.ports import Journal

log = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds that an event may wait for the journal to be read; acting twice on it is then the smaller harm."""


class Recollection:
    """Fills a memory from the journal once."""

    def __init__(self, seen: Seen) -> None:
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
