"""Storage: the port that gives all shared state of a bot, and the names of its parts.

What belongs to a machine (lock, health, control socket, checkouts, indexes, runs of programs) is on
`bot.adapters.home.Home` instead: whoever takes a `Storage` reads what every replica of a bot shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from bot.ports.outbound import TaskFiles, TaskNames

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime

    from bot.errors import TriageError
    from bot.models.purge_criterion import Criterion, PurgeCounts
    from bot.models.weights import WeightTable
    from bot.ports.notes import ProjectNotes
    from bot.ports.outbound import ConversationStore, Journal, JsonFile, Sessions, Store, ThreadFolders

JournalName = Literal["events", "events-classified", "replies", "labels", "feedback", "judgements", "audit", "health"]
"""Name of a journal; `health` is the history of the services."""

StateName = Literal[
    "access",
    "active-projects",
    "agents",
    "allowance",
    "auto-replies",
    "auto-reply-channels",
    "auto-reply-gates",
    "baseline",
    "confirmations",
    "controls",
    "hooks",
    "incidents",
    "muted",
    "orders",
    "projects",
    "reminders",
    "repositories",
    "samples",
    "schedule",
    "services",
    "watched",
]
"""Name of an object of small state."""


class Stop(Protocol):
    """Request to end the process (`bot.runtime.stop_request.StopRequest`)."""

    def stop_for(self, problem: TriageError) -> None:
        """Ask for a stop; may be called in any thread."""


class Weights(Protocol):
    """The classifier's own weights, which override the packaged ones (`bot.adapters.weights_file.WeightsFile`,
    `bot.adapters.postgresql.weights.StoredWeights`).

    Each call raises `Misconfigured` with the next step.
    """

    async def read(self) -> WeightTable | None:
        """Return the own weights, or `None` if the packaged ones are in use."""

    async def write(self, table: WeightTable) -> str:
        """Replace the weights, and keep the previous ones for `undo`; return where they are."""

    async def undo(self) -> bool:
        """Restore the weights before the last write; return whether these are own ones, or else the packaged ones."""


class TaskRecords(TaskFiles, TaskNames, Protocol):
    """Folders of tasks with their names (`bot.adapters.tasks.TaskFolders`)."""


class Storage(Protocol):
    """Shared state of a bot, each part by its own port (`bot.wiring.file_storage.FileStorage`,
    `bot.adapters.postgresql.storage.DatabaseStorage`).

    `stop` ends the process when what is stored can no longer be trusted; `None` for a reader.
    """

    @property
    def place(self) -> str:
        """Name of the place of the state, for messages; without secrets."""

    @property
    def conversations(self) -> ConversationStore:
        """Conversations with the chat agent."""

    @property
    def task_files(self) -> TaskRecords:
        """Run artifacts and journals of tasks."""

    @property
    def thread_folders(self) -> ThreadFolders:
        """Everything of a thread beside its document, to be removed with it."""

    @property
    def notes(self) -> ProjectNotes:
        """Notes of projects."""

    @property
    def weights(self) -> Weights:
        """The classifier's own weights."""

    async def begin(self) -> None:
        """Bring this machine's copies of shared state up to date, before a bot starts."""

    def store(self, stop: Stop | None) -> Store:
        """Return the documents of the threads."""

    def sessions(self) -> Sessions:
        """Return the agents' run records, with a memory of its own for those that were read."""

    def journal(
        self, name: JournalName, stop: Stop | None, *, may_refuse: bool = True, gathering: float | None = None
    ) -> Journal:
        """Return a journal; a process writes to one of a name. With `may_refuse=False` it asks for a stop when a record
        cannot be written; `gathering` is the time in seconds for which records may wait for others."""

    def json_file(self, name: StateName) -> JsonFile:
        """Return an object of small state."""

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Keep bots of all machines from the shared state until the end of the block; the home of this one is locked
        apart. Raises `Misconfigured` if one runs."""

    async def purge(self, criterion: Criterion, *, really: bool) -> PurgeCounts:
        """Remove the matching data from the shared state and from this machine's home, while the bot is stopped.

        Without `really` it is only counted.
        """

    async def purge_parts(self, before: datetime) -> int:
        """Remove, beside a running bot, what is older than a time, except documents and the journals' live files;
        return the number of records."""

    async def purge_history(self, before: datetime) -> int:
        """Remove records of the services' history from before a time; return their number."""
