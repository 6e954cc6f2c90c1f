"""Retention: records and threads past their maximum age are removed once a day, while the bot runs.

Only its writer touches a journal's live file: when the oldest record is too old the writer rotates it, and only rotated
parts are rewritten. Only documents of closed threads are removed, under their store's lock.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime, timedelta

    from bot.ports.outbound import Clock, Journal, Store
    from bot.triage.open_threads import OpenThreads

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Retention:
    """Remover of records and closed threads older than `keep`; tasks that open ones depend on stay."""

    keep: timedelta
    clock: Clock
    store: Store
    journals: Sequence[Journal]
    is_over: Callable[[bytes, datetime], bool]
    """Test for a journal line older than a time."""
    purge_parts: Callable[[datetime], Awaitable[int]]
    """Function that removes the lines before a time from rotated parts, and returns their number."""
    open_threads: OpenThreads

    async def run(self) -> None:
        """Remove the records and threads that are too old now."""
        before = self.clock.now() - self.keep
        for journal in self.journals:
            await journal.set_aside_if(lambda line: self.is_over(line, before))
        threads = await self.store.remove_closed(before, keep=self.open_threads.tasks.dependencies)
        records = await self.purge_parts(before)
        for thread_id in threads:
            self.open_threads.forget(thread_id)
        log.info("retention took out %d records and %d threads from before %s", records, len(threads), before)
