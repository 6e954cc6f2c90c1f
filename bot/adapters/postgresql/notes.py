"""Project notes in the database (`ProjectNotes`): one row for each note, with the version before its last change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bot.errors import Refused
from bot.models.note import MOST_BYTES, MOST_NOTES, NOTE_NAME, NOTE_PROJECT, Note, title_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database

_LIST = "select name, content, changed_at from triage.notes where project = %s order by name"
_READ = "select content, previous from triage.notes where project = %s and name = %s"
_LOCK = "lock table triage.notes in share row exclusive mode"  # one change at a time, also of a note that is not there
_COUNT = "select count(*) from triage.notes where project = %s"
_CHANGE = """
insert into triage.notes (project, name, content) values (%s, %s, %s)
on conflict (project, name) do update
   set content = excluded.content, previous = notes.content, changed_at = clock_timestamp()
"""
_REMOVE = "delete from triage.notes where project = %s and name = %s"
_REMOVE_ALL = "delete from triage.notes where project = %s"


class StoredNotes:
    """The port on the table of notes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_all(self, project: str) -> tuple[Note, ...]:
        """Return the notes of a project by name. Raises `Refused`."""
        _check_project(project)
        return tuple(
            Note(name=name, title=title_of(name, _text(content)), size=len(content), changed_at=at)
            for name, content, at in await self._fetch(_LIST, project)
        )

    async def list_projects(self) -> list[str]:
        """Return the names of the projects that have notes."""
        return [name for (name,) in await self._fetch("select distinct project from triage.notes order by project")]

    async def read(self, project: str, name: str, *, previous: bool = False) -> str | None:
        """Return a note, or its version before the last change; `None` if there is none. Raises `Refused`."""
        _check(project, name)
        rows = await self._fetch(_READ, project, name)
        content = rows[0][1 if previous else 0] if rows else None
        return None if content is None else _text(content)

    async def change(self, project: str, name: str, make: Callable[[str | None], str]) -> bool:
        """Replace a note by the result of `make`, and keep the previous version; return whether there was one.

        One change at a time. On return it is committed. Raises `Refused`, as `make` may.
        """
        _check(project, name)

        async def replace(connection: Connection) -> bool:
            await connection.execute(_LOCK)
            row = await (await connection.execute(_READ, (project, name))).fetchone()
            previous = _text(row[0]) if row else None
            content = make(previous).encode("utf-8", "replace")
            if len(content) > MOST_BYTES:
                raise Refused(f"a note holds at most {MOST_BYTES:,} bytes, this is {len(content):,}", code="too_long")
            if row is None:
                (count,) = await (await connection.execute(_COUNT, (project,))).fetchone() or (0,)
                if count >= MOST_NOTES:
                    raise Refused(f"{project} has {MOST_NOTES} notes, the most that there may be", code="too_many")
            if row is None or content != row[0]:
                await connection.execute(_CHANGE, (project, name, content))
            return row is not None

        return await self._database.write(replace)

    async def remove(self, project: str, name: str) -> bool:
        """Remove a note with its previous version; return whether it existed. Raises `Refused`."""
        _check(project, name)
        return await self._delete(_REMOVE, project, name) > 0

    async def remove_all(self, project: str) -> int:
        """Remove every note of a project; return their number. Raises `Refused`."""
        _check_project(project)
        return await self._delete(_REMOVE_ALL, project)

    async def _fetch(self, query: str, *values: str) -> list[Any]:
        async def fetch(connection: Connection) -> list[Any]:
            return await (await connection.execute(query.encode(), values)).fetchall()

        return await self._database.read(fetch)

    async def _delete(self, statement: str, *values: str) -> int:
        async def delete(connection: Connection) -> int:
            return (await connection.execute(statement.encode(), values)).rowcount

        return await self._database.write(delete)


def _check(project: str, name: str) -> None:
    _check_project(project)
    if not re.fullmatch(NOTE_NAME, name):
        raise Refused(f"{name[:80]!r} is not a note name", code="no_such_note")


def _check_project(project: str) -> None:
    if not re.fullmatch(NOTE_PROJECT, project):
        raise Refused(f"{project[:64]!r} is not a project name", code="no_such_project")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
