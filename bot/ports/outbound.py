"""Outbound ports: protocols of storage, models, tools and time. Only `bot/wiring` knows both sides.

The ports towards Slack are in `ports/slack`, those that intake calls in `ports/inbound`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
    from datetime import date, datetime
    from pathlib import Path, PurePath

    from bot.models.conversation_record import ConversationRecord
    from bot.models.escalation import TierEnd
    from bot.models.findings import Assignment, EngineReport
    from bot.models.journal_query import JournalPage, JournalQuery
    from bot.models.model_parameters import ModelParameters
    from bot.models.model_request import ModelRequest
    from bot.models.project import Project
    from bot.models.remote import OfferedTools, RemoteAnswer
    from bot.models.session import Session
    from bot.models.session_chain import SessionLink
    from bot.models.settlement import ClosedThread
    from bot.models.system_event import SystemEvent
    from bot.models.thread import Thread
    from bot.models.turn import Turn, Usage


class Clock(Protocol):
    """Source of time and of ids, so that tests can choose both (`bot.adapters.clock.SystemClock`)."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait for this many seconds."""

    def new_id(self) -> str:
        """Return an id that no other call returns, in any process."""


class Store(Protocol):
    """Storage of the threads' documents (`bot.adapters.documents.Documents`,
    `bot.adapters.postgresql.threads.StoredThreads`)."""

    async def load(self, thread_id: str) -> Thread | None:
        """Return the newest saved document, or `None`. Raises `Unreadable` when the document does not parse."""

    def threads(self) -> AsyncIterator[tuple[str, Thread | ClosedThread | None]]:
        """Yield each saved thread with its id: the full document while anything is outstanding, `None` if it does not
        parse."""

    async def save(self, thread: Thread) -> Thread:
        """Save a changed document; return it with the next `version`.

        Raises `Conflict` when the saved version is no longer `thread.version`.
        """

    async def quarantine(self, thread_id: str) -> PurePath:
        """Move a document that does not parse out of the way; return its new place."""

    async def thread_ids(self) -> list[str]:
        """Return the ids of all saved threads."""

    async def remove_closed(self, before: datetime, *, keep: Collection[str] = ()) -> list[str]:
        """Remove closed threads without an event since `before`, except those to keep; return their ids."""

    async def remove(self, thread_id: str) -> bool:
        """Remove one thread unless it is open; return whether it is gone."""


class ThreadFolders(Protocol):
    """Folders of the tasks and long runs of threads (`bot.adapters.thread_folders.DiskThreadFolders`,
    `bot.adapters.postgresql.tasks.StoredTasks`)."""

    async def remove(self, thread_id: str, task: str) -> None:
        """Remove the folders of a thread and of its task, where there are any. Raises `RetryLater`."""


class JsonFile(Protocol):
    """JSON object in a file that outlives the process (`bot.adapters.json_file.DiskJsonFile`,
    `bot.adapters.postgresql.states.StoredState`)."""

    async def read(self) -> dict[str, Any]:
        """Return the last written content; an empty mapping when there is nothing to read."""

    async def read_whole(self) -> dict[str, Any]:
        """Return the last written content. Raises `Unreadable` for other content, which must not be overwritten
        silently."""

    async def exists(self) -> bool:
        """Return whether it was ever written, by any process."""

    async def set_aside(self) -> PurePath:
        """Move an unreadable file out of the way; return its new place. Raises `OSError`."""

    async def write(self, content: dict[str, Any]) -> None:
        """Replace the content; on return it is on disk. Raises `RetryLater`."""


class Journal(Protocol):
    """Append-only file of JSON lines (`bot.adapters.journal.NdjsonJournal`,
    `bot.adapters.postgresql.journal.StoredJournal`)."""

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Append a record and return once it is synced to disk. Raises `RetryLater` where `may_be_lost` is set and it
        was lost."""

    def put(self, record: dict[str, Any]) -> Awaitable[None]:
        """Start to append a record. Records are on disk in the order of these calls."""

    async def tail(self, limit: int) -> list[dict[str, Any]]:
        """Return the last `limit` records that parse, oldest first."""

    def records(self, since: datetime | None = None) -> AsyncIterator[dict[str, Any]]:
        """Yield every record that parses, oldest first.

        With `since` most records with an earlier `received_at` are left out.
        """

    def records_and_damage(self) -> AsyncIterator[dict[str, Any] | None]:
        """Yield every record, oldest first, and `None` for each line that does not parse."""

    async def newest(self, query: JournalQuery) -> JournalPage:
        """Find the newest records that a query matches; the cost is limited, whatever the size of the journal."""

    async def set_aside_if(self, is_over: Callable[[bytes], bool]) -> bool:
        """Rotate to a new file if `is_over` is true for the oldest line of the current one; return whether it did."""

    async def close(self) -> None:
        """Write what waits, and take nothing more."""


class Fetches(Protocol):
    """Fetched code of projects, by the names of their roots (`bot.adapters.checkouts.repositories.Repositories`)."""

    async def add(self, project: Project) -> None:
        """Add a project to the periodic fetches; its existing checkout is used until the first one."""

    async def fetch_soon(self, name: str) -> None:
        """Start to fetch a project, without waiting for it."""

    def folder(self, name: str) -> Path | None:
        """Return the folder that a project is fetched to, or `None` where it is not fetched."""

    def missing_reason(self, name: str) -> str | None:
        """Return the reason for missing code, or `None` where there is code or the project is not fetched."""

    def old_since(self, name: str) -> datetime | None:
        """Return the time of the last fetch of a project if later ones failed, else `None`."""

    def drop(self, name: str) -> None:
        """Stop fetching a project; runs that read its code continue."""

    async def discard(self, name: str) -> None:
        """Stop fetching a project, and remove its code, which nothing reads any more."""


class Engine(Protocol):
    """Engine that investigates questions: the keyword engine, or agents on a model (`bot.agents.keyword.KeywordEngine`,
    `bot.agents.fallback.FallbackEngine` and `bot.agents.investigator.Investigator`)."""

    @property
    def name(self) -> str:
        """Name of the engine on cards."""

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Return the findings for a question. Raises `TriageError` with a plain sentence when there can be none."""


class Escalations(Protocol):
    """Processes of tiers 2 and 3 (`bot.escalation.supervisor.Supervisor`)."""

    async def run(self, thread: Thread, run_id: str, assignment: Assignment) -> TierEnd:
        """Start the thread's tier unless it is started; return its end, also that of a process which ended while the
        bot was away. Raises `TriageError` if neither a process nor its end can be found or made."""


class ToolServer(Protocol):
    """Server of tools for agents (MCP) (`bot.adapters.mcp.McpServer`). Both calls raise `ToolError` when it does not
    answer."""

    name: str

    async def list_tools(self) -> OfferedTools:
        """Return the allowed tools, and the reasons for missing ones."""

    async def call(self, tool: str, arguments: dict[str, Any]) -> RemoteAnswer:
        """Call a tool."""

    async def stop(self) -> None:
        """Disconnect from the server."""


class ModelServer(Protocol):
    """Server of language models, with one key (`bot.adapters.claude.Server`)."""

    @property
    def may_be_asked(self) -> bool:
        """Return whether there is a key, or a server that may need none."""

    def renew(self, key: str | None) -> None:
        """Use this key from the next call on."""

    def model(self, name: str, parameters: ModelParameters) -> Model:
        """Return a model of this server, with these parameters of its calls."""

    def warm_up(self) -> None:
        """Prepare the first call in the background."""

    async def close(self) -> None:
        """Close the connections."""


class Model(Protocol):
    """Language model that receives the whole history and answers with one turn (`bot.adapters.claude.ClaudeModel`)."""

    name: str
    """Name on the model's server, such as `claude-opus-5-5`."""
    max_output: int
    """Maximum number of tokens in one turn."""

    async def reply(self, request: ModelRequest) -> Turn:
        """Return the next turn.

        Raises `Unreachable`, `OverCap`, `NoKey`, or `Refused` when the server rejects the request itself.
        """


class Prices(Protocol):
    """Prices of models (`bot.adapters.prices.PriceTable`)."""

    def cost(self, model: str, usage: Usage) -> float | None:
        """Return the cost in US dollars, or `None` for a model without a known price."""


class SessionStore(Protocol):
    """Storage of run records for an account of their cost (`bot.adapters.sessions.SessionFiles`, and
    `bot.adapters.sessions.SessionFile` for a process with one run)."""

    async def save(self, session: Session) -> None:
        """Save the newest state of a record."""

    async def list_since(self, day: date) -> list[Session]:
        """Return the sessions started on this day (UTC) or later; leave out those that do not parse."""


class Sessions(SessionStore, Protocol):
    """Storage of the agents' run records (`bot.adapters.sessions.SessionFiles`,
    `bot.adapters.postgresql.sessions.StoredSessions`)."""

    async def read(self, session_ids: Iterable[str]) -> list[Session]:
        """Return these sessions, in this order, without those that are gone or do not parse."""

    async def links(self) -> list[SessionLink]:
        """Return the links of all sessions, oldest first."""


class SystemEvents(Protocol):
    """Events of the supervisor (`bot.adapters.system_events.SystemEventFile`)."""

    async def newest(self, limit: int) -> list[SystemEvent]:
        """Return the newest events, the newest first. Raises `RetryLater`."""


class ConversationStore(Protocol):
    """Storage of conversations with the chat agent (`bot.adapters.conversations.ConversationFiles`,
    `bot.adapters.postgresql.sessions.StoredConversations`)."""

    async def list_all(self) -> list[ConversationRecord]:
        """Return every conversation, the last saved one at the end."""

    async def save(self, talk: ConversationRecord) -> None:
        """Save a conversation, replacing its file. Raises `RetryLater`."""


class TaskNames(Protocol):
    """Names of the tasks that have a folder (`bot.adapters.tasks.TaskFolders`,
    `bot.adapters.postgresql.tasks.StoredTasks`)."""

    async def names(self) -> list[str]:
        """Return the names of all folders; empty if they cannot be read."""


class TaskFiles(Protocol):
    """Folders of tasks: run artifacts and journals, for people to read (`bot.adapters.tasks.TaskFolders`,
    `bot.adapters.postgresql.tasks.StoredTasks`).

    `task` is the name of a folder. Methods that write raise `RetryLater`.
    """

    async def save(self, task: str, name: str, record: dict[str, Any]) -> None:
        """Write a record into the folder, replacing a record of the same name."""

    async def append(self, task: str, name: str, line: str, *, head: str = "", once: bool = False) -> None:
        """Append a line to a journal, which begins with `head`; with `once` skip a line that its end has already."""

    async def tail(self, task: str, name: str, lines: int) -> str:
        """Return the last lines of a journal; empty where there is none."""
