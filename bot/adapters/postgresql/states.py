"""Small state in the database (`JsonFile`): one row for each object."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from typing import TYPE_CHECKING, Any

from bot.adapters.postgresql.quarantine import move_aside
from bot.errors import Unreadable

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database

log = logging.getLogger(__name__)

_READ = "select content from triage.states where name = %s"
_WRITE = """
insert into triage.states (name, content) values (%s, %s)
on conflict (name) do update set content = excluded.content, written_at = clock_timestamp()
"""


class StoredState:
    """The port on one row of the table of states."""

    def __init__(self, database: Database, name: str) -> None:
        self._database, self._name = database, name
        self._turns = itertools.count(1)
        self._newest: tuple[int, str] = (0, "")
        self._written = 0
        self._writing = asyncio.Lock()

    async def read(self) -> dict[str, Any]:
        """Return the last written object; empty if there is none, or an unparsable one."""
        try:
            return await self.read_whole()
        except Unreadable as problem:
            log.warning("%s; it starts empty", problem)
            return {}

    async def read_whole(self) -> dict[str, Any]:
        """Return the same, for state that must not be lost silently: raises `Unreadable` if it is unparsable."""
        if (row := await self._fetch()) is None:
            return {}
        try:
            data = json.loads(row[0])
        except (ValueError, RecursionError) as problem:
            raise Unreadable(f"{self._name} in the {self._database.place}: {problem}") from problem
        if not isinstance(data, dict):
            raise Unreadable(f"{self._name} in the {self._database.place}: expected a JSON object")
        return data

    async def exists(self) -> bool:
        """Return whether it was ever written, by any process."""
        return await self._fetch() is not None

    async def set_aside(self) -> PurePosixPath:
        """Move the content into the quarantine; return its new place."""
        take = "delete from triage.states where name = %s returning name, content"
        return await self._database.write(lambda connection: move_aside(connection, take, self._name))

    async def write(self, content: dict[str, Any]) -> None:
        """Replace the object; on return this or a later one is committed. Raises `TriageError`."""
        turn = next(self._turns)
        self._newest = (turn, json.dumps(content))
        async with self._writing:
            if turn > self._written:  # otherwise a newer one was committed meanwhile
                newest, text = self._newest
                await self._database.write(lambda connection: connection.execute(_WRITE, (self._name, text)))
                self._written = newest

    async def _fetch(self) -> Any:
        async def fetch(connection: Connection) -> Any:
            return await (await connection.execute(_READ, (self._name,))).fetchone()

        return await self._database.read(fetch)
