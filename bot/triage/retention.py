"""Retention: what is older than it may be is taken out while the bot runs, once a day by `runtime/scheduler`.

A journal's live file is its writer's alone: when its oldest record is over age, the writer sets it aside, and only what
has been set aside is rewritten. Documents go under their store's lock, closed ones only; a thread that is open stays,
however old.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, timedelta

    from bot.ports.outbound import Clock, Journal, Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Retention:
    """Takes out what is older than `keep`."""

    keep: timedelta
    clock: Clock
    store: Store
    journals: Sequence[Journal]
    is_over: Callable[[bytes, datetime], bool]
    """Whether a journal's line is older than a moment."""
    purge_parts: Callable[[datetime], int]
    """Takes the lines before a moment out of the parts that were set aside; called in a thread, says how many."""
    forget: Callable[[str], None]
    """Told of each thread whose document is gone."""

    async def run(self) -> None:
        """Take out what is over age now."""
        before = self.clock.now() - self.keep
        for journal in self.journals:
            await journal.set_aside_if(lambda line: self.is_over(line, before))
        threads = await self.store.remove_closed(before)
        records = await asyncio.to_thread(self.purge_parts, before)
        for thread_id in threads:
            self.forget(thread_id)
        log.info("retention took out %d records and %d threads from before %s", records, len(threads), before)
