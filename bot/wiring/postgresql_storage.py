"""Storage in the PostgreSQL database that replicas share, with what belongs to it in the home of this machine."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.adapters.postgresql.database import CONNECTIONS, PATIENCE, Database
from bot.adapters.postgresql.migrations import migrate
from bot.adapters.postgresql.purge import find_threads_of
from bot.adapters.postgresql.removed_threads import read_removed
from bot.adapters.postgresql.storage import DatabaseStorage
from bot.adapters.project_notes import ProjectNoteFiles
from bot.adapters.purge import purge, purge_parts
from bot.adapters.purge.folders import SharedThreads
from bot.adapters.thread_folders import DiskThreadFolders
from bot.errors import Misconfigured
from bot.models.purge_criterion import Criterion, PurgeCounts
from bot.wiring.mirrored_notes import MirroredNotes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime
    from pathlib import Path

    from bot.adapters.postgresql.database import Fence
    from bot.adapters.postgresql.journal import StoredJournal
    from bot.adapters.postgresql.sessions import StoredSessions
    from bot.adapters.postgresql.states import StoredState
    from bot.adapters.postgresql.tasks import StoredTasks
    from bot.adapters.postgresql.threads import StoredThreads
    from bot.ports.storage import JournalName, StateName, Stop


@asynccontextmanager
async def open_postgresql(
    address: str | None,
    home: Path,
    runs: Path | None,
    fence: Fence | None = None,
    *,
    writes: bool = False,
    size: int = CONNECTIONS,
    patience: float = PATIENCE,
) -> AsyncIterator[ReplicaStorage]:
    """Connect to a database with the schema of this Triage. Without a `fence` its writes are those of a tool.

    A replica `writes`, and a newer version may have migrated its database, since migrations only add. Raises
    `Misconfigured` with the next step.
    """
    database = Database(address, clock=SystemClock(), fence=fence, size=size, patience=patience)
    if lacking := await migrate(address, really=False, may_be_newer=writes):
        raise Misconfigured(f"the {database.place} lacks migrations, from {lacking[0]} on: run `triage db upgrade`")
    await database.open()
    try:
        if writes:
            await database.demand_writing()
        yield ReplicaStorage(database, home, runs)
    finally:
        await database.close()


class ReplicaStorage:
    """The port on a database, and on the folders that a removed thread or an old run leaves in `home` and `runs`."""

    def __init__(self, database: Database, home: Path, runs: Path | None) -> None:
        self.database, self._stored = database, DatabaseStorage(database)
        self._home, self._runs = home, runs
        self.place = database.place
        self.conversations = self._stored.conversations
        self.task_files = self._stored.task_files
        self.weights = self._stored.weights
        self.notes = MirroredNotes(
            stored=self._stored.notes, files=ProjectNoteFiles(home / "notes"), folder=home / "notes"
        )
        folders = DiskThreadFolders(tasks=home / "tasks", runs=runs or home / "escalations")
        self.thread_folders = ReplicaFolders(self._stored.thread_folders, folders)

    async def begin(self) -> None:
        """Make the copies of notes those of the database."""
        await self.notes.begin()

    def store(self, stop: Stop | None) -> StoredThreads:
        """Return the documents of the threads."""
        return self._stored.store(stop)

    def sessions(self) -> StoredSessions:
        """Return the agents' run records."""
        return self._stored.sessions()

    def journal(
        self, name: JournalName, stop: Stop | None, *, may_refuse: bool = True, gathering: float | None = None
    ) -> StoredJournal:
        """Return a journal, for a process's one writer or for a reader."""
        return self._stored.journal(name, stop, may_refuse=may_refuse, gathering=gathering)

    def json_file(self, name: StateName) -> StoredState:
        """Return an object of small state."""
        return self._stored.json_file(name)

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Hold the lease of the leader. Raises `Misconfigured` if a replica leads."""
        return self._stored.alone()

    async def purge(self, criterion: Criterion, *, really: bool) -> PurgeCounts:
        """Remove the matching data from the database and from the home, or only count it."""
        if criterion.user:
            criterion = replace(criterion, threads=await find_threads_of(self.database, criterion.user))
        shared = await self._read_shared(criterion)
        of_home = await asyncio.to_thread(purge, self._home, criterion, really=really, runs=self._runs, shared=shared)
        stored = await self._stored.purge(criterion, really=really)
        return PurgeCounts(records=of_home.records + stored.records, documents=of_home.documents + stored.documents)

    async def purge_parts(self, before: datetime) -> int:
        """Remove what is older, beside a running bot; return the number of records."""
        shared = await self._read_shared(Criterion(before=before))
        count = await asyncio.to_thread(purge_parts, self._home, before, self._runs, shared)
        return count + await self._stored.purge_parts(before)

    async def purge_history(self, before: datetime) -> int:
        """Remove old records of the services' history; return their number."""
        return await self._stored.purge_history(before)

    async def _read_shared(self, criterion: Criterion) -> SharedThreads:
        ids = frozenset(await self.store(None).thread_ids())
        return SharedThreads(ids, await read_removed(self.database, criterion))


class ReplicaFolders:
    """The port on the database and the folders of this machine."""

    def __init__(self, stored: StoredTasks, folders: DiskThreadFolders) -> None:
        self._stored, self._folders = stored, folders

    async def remove(self, thread_id: str, task: str) -> None:
        """Remove the folders of a thread and of its task. Raises `RetryLater`."""
        await self._stored.remove(thread_id, task)
        await self._folders.remove(thread_id, task)
