"""Storages for the contract suites, and the damage that a person or a disk may do to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol

import psycopg

from bot.adapters.documents.storage import AtomicStorage
from bot.adapters.home import Home
from bot.ports.storage import Storage
from bot.wiring.file_storage import FileStorage

Kind = Literal["states", "sessions", "conversations", "threads"]
"""Name of a table, and of what stands for it in a home."""


class Backend(Protocol):
    """A storage; `reopen` gives another one on the same state, as the next process has it."""

    storage: Storage

    def reopen(self) -> Storage:
        """Return another storage on the same state."""

    def damage(self, kind: Kind, name: str, content: str) -> None:
        """Write other content in the place of an object."""

    def add_line(self, journal: str, line: str) -> None:
        """Append a line that may be no record."""

    def edit_thread(self, thread_id: str, change: Callable[[dict[str, Any]], object], *, to: str = "") -> None:
        """Change the saved fields of a document, or save the result under another id."""

    def read_aside(self, place: str) -> str:
        """Return what was moved out of the way."""


class FileBackend:
    """The files of a home."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.storage: Storage = self.reopen()

    def reopen(self) -> Storage:
        """Return another storage on the same files."""
        return FileStorage(Home(self._path).path)

    def damage(self, kind: Kind, name: str, content: str) -> None:
        """Overwrite the file."""
        folder = self._path / {"states": ".", "threads": "state"}.get(kind, kind)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(content)

    def add_line(self, journal: str, line: str) -> None:
        """Append to the file."""
        with (self._path / f"{journal}.ndjson").open("a") as file:
            file.write(f"{line}\n")

    def edit_thread(self, thread_id: str, change: Callable[[dict[str, Any]], object], *, to: str = "") -> None:
        """Write the file with its digest."""
        path = self._path / "state" / f"{thread_id}.json"
        tables = json.loads(path.read_text())
        del tables["digest"]
        change(tables["thread"]["1"])
        AtomicStorage(path.with_stem(to or thread_id)).write(tables)

    def read_aside(self, place: str) -> str:
        """Read the file."""
        return Path(place).read_text()


class DatabaseBackend:
    """A database; `open_storage` gives a storage on it."""

    def __init__(self, address: str, open_storage: Callable[[], Storage]) -> None:
        self._address, self.reopen = address, open_storage
        self.storage: Storage = open_storage()

    def damage(self, kind: Kind, name: str, content: str) -> None:
        """Overwrite the row."""
        key, insert = _INSERTS[kind]
        self._run(f"delete from triage.{kind} where {key} = %s", (name,))  # noqa: S608  # names of this module
        self._run(insert, (name, content))

    def add_line(self, journal: str, line: str) -> None:
        """Add a row."""
        self._run("insert into triage.journal_records (journal, record) values (%s, %s)", (journal, line))

    def edit_thread(self, thread_id: str, change: Callable[[dict[str, Any]], object], *, to: str = "") -> None:
        """Overwrite the document, or add a row for its copy."""
        ((body,),) = self._run("select body from triage.threads where thread_id = %s", (thread_id,))
        document = json.loads(body)
        change(document)
        self.damage("threads", to or thread_id, json.dumps(document))

    def read_aside(self, place: str) -> str:
        """Read the row."""
        ((content,),) = self._run("select content from triage.quarantine where id = %s", (place.rpartition("/")[2],))
        return str(content)

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._address) as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []


_INSERTS: dict[Kind, tuple[str, str]] = {
    "states": ("name", "insert into triage.states (name, content) values (%s, %s)"),
    "sessions": ("session_id", "insert into triage.sessions (session_id, content) values (%s, %s)"),
    "conversations": (
        "conversation",
        "insert into triage.conversations (conversation, content, saved_at) values (%s, %s, now())",
    ),
    "threads": (
        "thread_id",
        "insert into triage.threads (thread_id, body, version, is_closed, last_event_at, summary_rule)"
        " values (%s, %s, 1, false, now(), 0)",
    ),
}
