"""Schema of the queue: procrastinate's own tables and migrations, in the schema `procrastinate` of the same database.

procrastinate names its tables without a schema, so every connection that uses them has `SEARCH_PATH`. A database
without them gets its whole schema, one that has them the files of migrations that it lacks; `triage.queue_migrations`
says which it has.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

SEARCH_PATH = "procrastinate"
_HAS_TABLE = "select to_regclass('triage.queue_migrations') is not null"
_APPLIED = "select name from triage.queue_migrations"
_CREATE = f"create schema if not exists {SEARCH_PATH}"
_ENTER = f"set local search_path to {SEARCH_PATH}"
_NOTE = "insert into triage.queue_migrations (name) values (%s)"


@cache
def list_queue_migrations() -> tuple[str, ...]:
    """Return the names of the migrations that the installed procrastinate has, in order."""
    folder = files("procrastinate") / "sql" / "migrations"
    return tuple(sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql")))


async def migrate_queue(connection: psycopg.AsyncConnection[Any], *, really: bool) -> list[str]:
    """Apply the first migration that the queue lacks and return its name, or with a new queue all; the result is empty
    if none is lacking. Without `really` all that are lacking are listed. The caller opens the transaction."""
    applied = await _read_applied(connection)
    lacking = [name for name in list_queue_migrations() if name not in applied]
    if not lacking or not really:
        return lacking
    await connection.execute(_CREATE.encode())
    await connection.execute(_ENTER.encode())
    sql = files("procrastinate") / "sql"
    done = lacking[:1] if applied else lacking
    file = sql / "migrations" / lacking[0] if applied else sql / "schema.sql"
    await connection.execute(file.read_text(encoding="utf-8").encode())
    for name in done:
        await connection.execute(_NOTE, (name,))
    return done


async def _read_applied(connection: psycopg.AsyncConnection[Any]) -> set[str]:
    row = await (await connection.execute(_HAS_TABLE)).fetchone()
    if row is None or not row[0]:
        return set()
    return {name for (name,) in await (await connection.execute(_APPLIED)).fetchall()}
