"""Storage in the files of one home (`Storage`): file names are those of the data map in `docs/security.md`.

Records with large models are imported when they are used: `triage classify` needs none of them.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from bot.adapters.journal import GATHERING, NdjsonJournal
from bot.adapters.json_file import DiskJsonFile
from bot.adapters.project_notes import ProjectNoteFiles
from bot.adapters.purge import purge, purge_parts, purge_parts_of
from bot.adapters.tasks import TaskFolders
from bot.adapters.thread_folders import DiskThreadFolders
from bot.adapters.weights_file import WeightsFile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime
    from pathlib import Path

    from bot.adapters.conversations import ConversationFiles
    from bot.adapters.documents import Documents
    from bot.adapters.sessions import SessionFiles
    from bot.models.purge_criterion import Criterion, PurgeCounts
    from bot.ports.storage import JournalName, StateName, Stop


class FileStorage:
    """The port on a home. `runs` is the folder of long runs where that is not in the home."""

    def __init__(self, home: Path, runs: Path | None = None) -> None:
        self._home = home
        self._runs = runs
        self.place = str(home)
        self.task_files = TaskFolders(home / "tasks")
        self.thread_folders = DiskThreadFolders(tasks=home / "tasks", runs=runs or home / "escalations")
        self.notes = ProjectNoteFiles(home / "notes")
        self.weights = WeightsFile(home)

    @cached_property
    def conversations(self) -> ConversationFiles:
        """Conversations with the chat agent."""
        from bot.adapters.conversations import ConversationFiles

        return ConversationFiles(self._home / "conversations")

    async def begin(self) -> None:
        """Do nothing: the home is the state itself."""

    def store(self, stop: Stop | None) -> Documents:
        """Return the documents of the threads."""
        from bot.adapters.documents import Documents

        return Documents(self._home / "state", stop=stop)

    def sessions(self) -> SessionFiles:
        """Return the agents' run records."""
        from bot.adapters.sessions import SessionFiles

        return SessionFiles(self._home / "sessions")

    def journal(
        self, name: JournalName, stop: Stop | None, *, may_refuse: bool = True, gathering: float | None = None
    ) -> NdjsonJournal:
        """Return a journal, for a process's one writer or for a reader."""
        gathering = GATHERING if gathering is None else gathering
        return NdjsonJournal(self._path(name), stop=stop, may_refuse=may_refuse, gathering=gathering)

    def json_file(self, name: StateName) -> DiskJsonFile:
        """Return an object of small state."""
        return DiskJsonFile(self._home / f"{name}.json")

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Do nothing: the lock of the home keeps bots away."""
        yield

    async def purge(self, criterion: Criterion, *, really: bool) -> PurgeCounts:
        """Remove the matching data, or only count it."""
        return await asyncio.to_thread(purge, self._home, criterion, really=really, runs=self._runs)

    async def purge_parts(self, before: datetime) -> int:
        """Remove what is older, beside a running bot; return the number of records."""
        return await asyncio.to_thread(purge_parts, self._home, before, self._runs)

    async def purge_history(self, before: datetime) -> int:
        """Remove old records from the earlier parts of the services' history; return their number."""
        return await asyncio.to_thread(purge_parts_of, self._path("health"), before)

    def _path(self, name: JournalName) -> Path:
        return self._home / f"{name}.ndjson"
