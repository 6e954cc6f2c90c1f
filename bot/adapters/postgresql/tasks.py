"""Files of tasks in the database (`TaskFiles`, `TaskNames`, `ThreadFolders`): records, and journals line by line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,119}")
_LAST = 200
"""Last lines of a journal in which `once` looks for a line."""
_MOST = 5_000
"""Lines that `tail` returns, at most."""
_SAVE = """
insert into triage.task_records (task, name, content) values (%(task)s, %(name)s, %(content)s)
on conflict (task, name) do update set content = excluded.content, changed_at = clock_timestamp()
 where task_records.content <> excluded.content
"""
_APPEND = """
insert into triage.task_lines (task, name, line)
select %(task)s, %(name)s, line
  from (select 0 as place, %(head)s::bytea as line
         where %(head)s <> ''::bytea and not exists (
               select from triage.task_lines where task = %(task)s and name = %(name)s)
        union all select 1, %(line)s::bytea
         where not %(once)s or not exists (
               select from (select line from triage.task_lines where task = %(task)s and name = %(name)s
                             order by id desc limit %(last)s) as last where line = %(line)s)) as added
 order by place
"""
_TAIL = """
select line from triage.task_lines where task = %(task)s and name = %(name)s order by id desc limit %(lines)s
"""
_NAMES = "select task from triage.task_records union select task from triage.task_lines"
_REMOVE = ("delete from triage.task_records where task = %s", "delete from triage.task_lines where task = %s")


class StoredTasks:
    """The ports on the tables of records and lines of tasks. `task` is the name of a folder."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, task: str, name: str, record: dict[str, Any]) -> None:
        """Save a record. Raises `TriageError`."""
        content = json.dumps(record, ensure_ascii=False, indent=1).encode("utf-8", "replace")
        values = {"task": task, "name": name, "content": content}
        await self._database.write(lambda connection: connection.execute(_SAVE, values))

    async def append(self, task: str, name: str, line: str, *, head: str = "", once: bool = False) -> None:
        """Append a line to a journal. Raises `TriageError`."""
        values = {"task": task, "name": name, "once": once, "last": _LAST}
        values |= {"head": head.encode("utf-8", "replace"), "line": line.encode("utf-8", "replace")}
        await self._database.write(lambda connection: connection.execute(_APPEND, values))

    async def tail(self, task: str, name: str, lines: int) -> str:
        """Return the last lines of a journal; empty if there is none."""
        values = {"task": task, "name": name, "lines": min(lines, _MOST)}

        async def fetch(connection: Connection) -> list[Any]:
            return await (await connection.execute(_TAIL, values)).fetchall()

        rows = await self._database.read(fetch)
        return "\n".join("\n".join(line.decode(errors="replace") for (line,) in reversed(rows)).splitlines()[-lines:])

    async def names(self) -> list[str]:
        """Return the names of all folders."""

        async def fetch(connection: Connection) -> list[Any]:
            return await (await connection.execute(_NAMES)).fetchall()

        return [name for (name,) in await self._database.read(fetch)]

    async def remove(self, thread_id: str, task: str) -> None:
        """Remove the folder of a thread's task. Raises `TriageError`."""

        async def delete(connection: Connection) -> None:
            for statement in _REMOVE:
                await connection.execute(statement.encode(), (task,))

        if _SLUG.fullmatch(task):
            await self._database.write(delete)
