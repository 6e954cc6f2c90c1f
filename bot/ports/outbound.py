"""The protocols between what decides and what touches the outside. Doers know these; only `wiring/app` knows both
sides.

Those of Slack stand in `ports/slack`; what intake knows of those who act on what comes in, in `ports/inbound`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from pydantic import BaseModel

    from bot.models.findings import Assignment, EngineReport
    from bot.models.note import Note
    from bot.models.project import Project
    from bot.models.remote import Offered, RemoteAnswer
    from bot.models.session import Session
    from bot.models.settlement import Settled
    from bot.models.talk import TalkRecord
    from bot.models.thread import Thread
    from bot.models.turn import Entry, ToolForm, Turn, Usage


class Clock(Protocol):
    """Time, so that tests can move it."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class Store(Protocol):
    """The threads' documents."""

    async def load(self, thread_id: str) -> Thread | None:
        """The newest saved document, or `None`. Raises `Unreadable` when it is there but does not parse."""

    def threads(self) -> AsyncIterator[tuple[str, Thread | Settled | None]]:
        """Each saved thread by its id, whole where anything is outstanding; `None` for one that does not parse."""

    async def save(self, thread: Thread) -> Thread:
        """Save a changed document; the answer has the next `version`.

        Raises `Conflict` when the saved version is no longer `thread.version`.
        """

    async def quarantine(self, thread_id: str) -> Path:
        """Move a document that does not parse out of the way; the answer is where it lies now."""

    async def thread_ids(self) -> list[str]:
        """The ids of all saved threads."""

    async def remove_closed(self, before: datetime) -> list[str]:
        """Remove the documents of closed threads in which nothing has happened since; the answer is their ids."""


class Kept(Protocol):
    """A small JSON object that outlives the process."""

    async def read(self) -> dict[str, Any]:
        """What was written last; without keys when there is nothing to read."""

    async def read_whole(self) -> dict[str, Any]:
        """The same, for what must not be begun anew in silence. Raises `Unreadable` where something else is there."""

    async def set_aside(self) -> Path:
        """Move what cannot be read out of the way; the answer is where it lies now. Raises `OSError`."""

    async def write(self, said: dict[str, Any]) -> None:
        """Replace it; on return it is on disk. Raises `RetryLater`."""


class Journal(Protocol):
    """One append-only file of JSON lines."""

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Return once the record is synced to disk. Raises `RetryLater` where it may be lost, and was."""

    def put(self, record: dict[str, Any]) -> Awaitable[None]:
        """Have a record written; `append`, begun. Records are on disk in the order in which they were put."""

    async def tail(self, limit: int) -> list[dict[str, Any]]:
        """The last `limit` records that parse, oldest first."""

    def records(self, since: datetime | None = None) -> AsyncIterator[dict[str, Any]]:
        """Every record that parses, oldest first.

        With `since` those that came in earlier, by their `received_at`, are left out but for a few.
        """

    async def set_aside_if(self, is_over: Callable[[bytes], bool]) -> bool:
        """Go on in a new file if `is_over` says so of the oldest line of the present one; says whether it did."""


class Fetches(Protocol):
    """The code of projects that are fetched, by the names of their roots."""

    async def add(self, project: Project) -> None:
        """Fetch it from time to time from now on; what lies there of it counts until then."""

    async def fetch_soon(self, name: str) -> None:
        """Begin to fetch one, without waiting for it."""

    def folder(self, name: str) -> Path | None:
        """Where one is fetched to; `None` where it is not fetched."""

    def missing(self, name: str) -> str | None:
        """Why there is no code of one yet; `None` where there is, or where it is not fetched."""

    def drop(self, name: str) -> None:
        """Fetch it no longer; whoever reads it goes on reading."""


class NoteFiles(Protocol):
    """Notes in folders of the team's own."""

    async def write(self, folder: Path, names: Sequence[str], content: str) -> str:
        """Write under the first name that is free, and answer which; never overwrites. Raises `Refused`."""


class ProjectNotes(Protocol):
    """The notes of projects in the home; `project` is a name, `name` a file's. Every call may raise `Refused`."""

    async def all(self, project: str) -> tuple[Note, ...]:
        """Every note of a project, by name."""

    async def read(self, project: str, name: str, *, previous: bool = False) -> str | None:
        """A note, or what stood there before its last change; `None` where there is none."""

    async def change(self, project: str, name: str, make: Callable[[str | None], str]) -> bool:
        """Put what `make` makes of a note in its place, and keep the one of before; says whether there was one."""

    async def remove(self, project: str, name: str) -> bool:
        """Remove a note with what stood there before; says whether there was one."""


class Engine(Protocol):
    """Whoever investigates: the keyword engine, or agents on a model."""

    @property
    def name(self) -> str:
        """As the card names it."""

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Findings for a question. Raises `TriageError` with a plain sentence when there can be none."""


class ToolServer(Protocol):
    """Another program whose tools agents may use. Both calls raise `ToolError` when it does not answer."""

    name: str

    async def offered(self) -> Offered:
        """The tools that may be used, and why others are missing."""

    async def call(self, tool: str, arguments: dict[str, Any]) -> RemoteAnswer:
        """Call one of them."""


class Model(Protocol):
    """A language model that takes a whole history and answers with one turn."""

    name: str
    """As its server knows it: `claude-opus-5-5`."""
    max_output: int
    """Tokens that one turn may have at most."""

    async def reply(
        self, messages: Sequence[Entry], tools: Sequence[ToolForm], schema: type[BaseModel] | None, deadline: float
    ) -> Turn:
        """The next turn, within `deadline` seconds. `schema` is the form of an answer that is no call.

        A server may ignore `schema`, so the caller validates. Raises `Unreachable`, `OverCap`, `NoKey`, or `Refused`
        when the server calls the request itself wrong.
        """


class Prices(Protocol):
    """What models cost."""

    def cost(self, model: str, usage: Usage) -> float | None:
        """US dollars, or `None` when nobody knows this model's price."""


class Sessions(Protocol):
    """The records of the agents' runs."""

    async def save(self, session: Session) -> None:
        """Save the newest state of a record."""

    async def since(self, day: date) -> list[Session]:
        """The sessions started on this day (UTC) or later; one that does not parse is left out."""


class ConversationStore(Protocol):
    """The conversations with the chat agent."""

    async def all(self) -> list[TalkRecord]:
        """Every one, the one that was saved last at the end."""

    async def save(self, talk: TalkRecord) -> None:
        """Replace what is on disk of it. Raises `RetryLater`."""


class TaskFiles(Protocol):
    """The folders of tasks: the raw material of runs, and their journals. Written, and read by people.

    `task` is the name of a folder. What writes raises `RetryLater`.
    """

    async def keep(self, task: str, name: str, record: dict[str, Any]) -> None:
        """Put a record into the folder, in place of the one of that name."""

    async def append(self, task: str, name: str, line: str, *, head: str = "", once: bool = False) -> None:
        """Append a line to a journal, which begins with `head`; with `once` not if its end has the line already."""

    async def end_of(self, task: str, name: str, lines: int) -> str:
        """The last lines of a journal; nothing where there is none."""
