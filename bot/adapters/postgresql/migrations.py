"""Migrations of the schema `triage`: numbered files of SQL, each applied once, in order, in a transaction.

Those of the queue of jobs come after them (`queue_schema`). They only go forward and only add, so that replicas of the
version before go on beside new ones during an upgrade.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import psycopg

from bot.adapters.postgresql.address import describe_error, describe_place, read_address
from bot.adapters.postgresql.queue_schema import migrate_queue
from bot.errors import Misconfigured

OLDEST_SERVER = 14
_LOCK = 7_245_500
"""Key of the advisory lock under which one process at a time migrates."""
_FILE = re.compile(r"(\d{4})_([a-z_]+)\.sql")
_TABLE = """
create schema if not exists triage;
create table if not exists triage.migrations (
    number integer primary key,
    name text not null,
    digest text not null,
    applied_at timestamptz not null default clock_timestamp()
)
"""
_STATUS_OF_SERVER = """
select current_setting('server_encoding'), current_setting('server_version_num')::integer / 10000,
       to_regclass('triage.migrations') is not null
"""


@dataclass(frozen=True)
class Migration:
    """One file: its number, its subject, its statements, and their digest."""

    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """Return the SHA-256 digest of the statements."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.number:04} {self.name}"


@dataclass(frozen=True)
class QueueMigration:
    """Migrations of the queue of jobs, as its library names them."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        newest = self.names[-1].removesuffix(".sql")
        return f"procrastinate, {len(self.names)} files up to {newest}"


@cache
def list_migrations() -> tuple[Migration, ...]:
    """Return the migrations of this program, in order."""
    folder = files("bot.adapters.postgresql") / "schema"
    matches = ((entry, _FILE.fullmatch(entry.name)) for entry in folder.iterdir())
    migrations = [
        Migration(int(match[1]), match[2].replace("_", " "), entry.read_text(encoding="utf-8"))
        for entry, match in matches
        if match
    ]
    return tuple(sorted(migrations, key=lambda migration: migration.number))


async def migrate(
    address: str | None,
    *,
    really: bool,
    migrations: tuple[Migration, ...] | None = None,
    may_be_newer: bool = False,
) -> tuple[Migration | QueueMigration, ...]:
    """Apply the migrations that a database lacks; return them. Without `really` they are only listed.

    Raises `Misconfigured` for a database that is newer than this program, unless it `may_be_newer` as for a replica
    (migrations only add), that was migrated by changed files, that cannot be used or not be reached.
    """
    parameters = read_address(address)
    place = describe_place(parameters)
    known = list_migrations() if migrations is None else migrations
    applied: list[Migration] = []
    of_queue: list[str] = []
    try:
        async with await psycopg.AsyncConnection.connect(**_with_limits(parameters)) as connection:
            while lacking := await _apply_next(connection, known, place, really=really, may_be_newer=may_be_newer):
                applied += lacking
                if not really:
                    break
            while migrations is None and (names := await _apply_queue(connection, really=really)):
                of_queue += names
                if not really:
                    break
    except psycopg.Error as problem:
        raise Misconfigured(f"{place} cannot be used: {describe_error(problem, parameters)}") from None
    return (*applied, *([QueueMigration(tuple(of_queue))] if of_queue else []))


async def _apply_queue(connection: psycopg.AsyncConnection[Any], *, really: bool) -> list[str]:
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        return await migrate_queue(connection, really=really)


def _with_limits(parameters: dict[str, Any]) -> dict[str, Any]:
    return {"connect_timeout": 10, "application_name": "triage migrations", **parameters}


async def _apply_next(
    connection: psycopg.AsyncConnection[Any],
    known: tuple[Migration, ...],
    place: str,
    *,
    really: bool,
    may_be_newer: bool,
) -> tuple[Migration, ...]:
    """Apply the first lacking migration and return it; without `really` return all that are lacking."""
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        lacking = find_lacking(known, await _read_applied(connection, place), place, may_be_newer=may_be_newer)
        if not lacking or not really:
            return lacking
        await connection.execute(_TABLE)
        first = lacking[0]
        await connection.execute(first.sql.encode())
        await connection.execute(
            "insert into triage.migrations (number, name, digest) values (%s, %s, %s)",
            (first.number, first.name, first.digest),
        )
        return (first,)


async def _read_applied(connection: psycopg.AsyncConnection[Any], place: str) -> dict[int, str]:
    """Return the digests of the applied migrations, by number. Raises `Misconfigured` for a server that is no use."""
    row = await (await connection.execute(_STATUS_OF_SERVER)).fetchone()
    encoding, version, has_table = row or ("", 0, False)
    if isinstance(encoding, bytes):  # of a database that knows no letters
        encoding = encoding.decode("ascii")
    if encoding != "UTF8":
        raise Misconfigured(f"{place} has the encoding {encoding}: create it with ENCODING 'UTF8' TEMPLATE template0")
    if version < OLDEST_SERVER:
        raise Misconfigured(f"{place} runs PostgreSQL {version}: expected {OLDEST_SERVER} or newer")
    if not has_table:
        return {}
    return dict(await (await connection.execute("select number, digest from triage.migrations")).fetchall())


def find_lacking(
    known: tuple[Migration, ...], applied: dict[int, str], place: str, *, may_be_newer: bool = False
) -> tuple[Migration, ...]:
    """Return the migrations that a database lacks, in order. Raises `Misconfigured` if it is of another program."""
    by_number = {migration.number: migration for migration in known}
    newest, newest_applied = max(by_number, default=0), max(applied, default=0)
    if may_be_newer:
        applied = {number: digest for number, digest in applied.items() if number <= newest}
    elif newest_applied > newest:
        raise Misconfigured(
            f"{place} is newer than this Triage: it has migration {newest_applied:04}, and this program ends with "
            f"{newest:04}; start the newer version"
        )
    for number, digest in sorted(applied.items()):
        if number not in by_number or by_number[number].digest != digest:
            raise Misconfigured(
                f"{place} was migrated by another file {number:04} than this Triage has: install the released version"
            )
    return tuple(migration for migration in known if migration.number not in applied)
