"""Storage in one database (`Storage`), which every replica of a bot shares."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.adapters.postgresql.journal import StoredJournal
from bot.adapters.postgresql.leadership import Leadership, LeaseTerms
from bot.adapters.postgresql.notes import StoredNotes
from bot.adapters.postgresql.purge import purge, purge_history, purge_old
from bot.adapters.postgresql.sessions import StoredConversations, StoredSessions
from bot.adapters.postgresql.states import StoredState
from bot.adapters.postgresql.tasks import StoredTasks
from bot.adapters.postgresql.threads import StoredThreads
from bot.adapters.postgresql.weights import StoredWeights
from bot.errors import Misconfigured
from bot.models.purge_criterion import Criterion

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from bot.adapters.postgresql.database import Database
    from bot.models.purge_criterion import PurgeCounts
    from bot.ports.storage import JournalName, StateName, Stop

log = logging.getLogger(__name__)

_FREE_WITHIN = 2 * LeaseTerms().lasts
"""Seconds after which a lease that is still held is that of a running bot."""


class DatabaseStorage:
    """The port on an open database. What a purge removes of a machine's home is not in it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.place = database.place
        self.conversations = StoredConversations(database)
        self.task_files = self.thread_folders = StoredTasks(database)
        self.notes = StoredNotes(database)
        self.weights = StoredWeights(database)

    def store(self, stop: Stop | None) -> StoredThreads:
        """Return the documents of the threads."""
        self._use(stop)
        return StoredThreads(self._database)

    def sessions(self) -> StoredSessions:
        """Return the agents' run records."""
        return StoredSessions(self._database)

    def journal(
        self, name: JournalName, stop: Stop | None, *, may_refuse: bool = True, gathering: float | None = None
    ) -> StoredJournal:
        """Return a journal, for a process's one writer or for a reader."""
        self._use(stop)
        return StoredJournal(self._database, name, may_refuse=may_refuse, gathering=gathering or 0.0)

    def json_file(self, name: StateName) -> StoredState:
        """Return an object of small state."""
        return StoredState(self._database, name)

    async def begin(self) -> None:
        """Do nothing: this machine has no copies here."""

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Hold the lease of the leader. Raises `Misconfigured` if a replica leads, or for a role that may only read."""
        await self._database.demand_writing()
        lease = Leadership(self._database.address, on_lost=lambda problem: log.warning("%s", problem))
        try:
            try:
                async with asyncio.timeout(_FREE_WITHIN):
                    await lease.acquire()
            except TimeoutError:
                raise Misconfigured(f"a bot runs on the {self.place}: stop all replicas, and repeat this") from None
            yield
        finally:
            await lease.release()

    async def purge(self, criterion: Criterion, *, really: bool) -> PurgeCounts:
        """Remove the matching data, or only count it."""
        return await purge(self._database, criterion, really=really)

    async def purge_parts(self, before: datetime) -> int:
        """Remove what is older, beside a running bot; return the number of records."""
        return await purge_old(self._database, before, Criterion(before=before))

    async def purge_history(self, before: datetime) -> int:
        """Remove old records of the services' history; return their number."""
        return await purge_history(self._database, Criterion(before=before))

    def _use(self, stop: Stop | None) -> None:
        """Have the process stopped through the first of these."""
        if stop is not None and self._database.stop is None:
            self._database.stop = stop
