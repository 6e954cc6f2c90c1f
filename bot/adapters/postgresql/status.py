"""Status of the database: server, connections, migrations, leader, and what waits."""

from __future__ import annotations

import time
from typing import Any

import psycopg
from psycopg.rows import scalar_row

from bot.adapters.postgresql.address import describe_error, describe_place, read_address
from bot.adapters.postgresql.jobs import COUNTS
from bot.adapters.postgresql.migrations import migrate
from bot.errors import Misconfigured
from bot.models.database_status import DatabaseStatus

_SERVER = """
select current_setting('server_version'),
       (select count(*)::integer from pg_stat_activity where datname = current_database()),
       current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
"""
_LEADER = (
    "select holder, extract(epoch from clock_timestamp() - beat_at)::float8 from triage.leadership where holder <> ''"
)
_DELIVERIES = "select count(*) from triage.deliveries where taken_at is null"


async def read_status(address: str | None) -> DatabaseStatus:
    """Ask a server. Raises `Misconfigured` with the reason if it cannot be used."""
    parameters = read_address(address)
    place = describe_place(parameters)
    lacking = await migrate(address, really=False, may_be_newer=True)
    given: dict[str, Any] = {"connect_timeout": 10, "application_name": "triage doctor", **parameters}
    try:
        async with await psycopg.AsyncConnection.connect(**given, autocommit=True) as connection:
            began = time.perf_counter()
            await connection.execute("select 1")
            latency = time.perf_counter() - began
            row = await (await connection.execute(_SERVER)).fetchone()
            version, used, allowed = row or ("", 0, 0)
            leader, age = await _read_leader(connection)
            jobs, oldest = await _read_jobs(connection)
            return DatabaseStatus(
                place=place,
                version=version,
                latency=latency,
                connections=used,
                max_connections=allowed,
                lacking=tuple(map(str, lacking)),
                leader=leader,
                beat_age=age,
                waiting_deliveries=await _count_deliveries(connection),
                waiting_jobs=jobs,
                oldest_job=oldest,
            )
    except psycopg.Error as problem:
        raise Misconfigured(f"{place} cannot be used: {describe_error(problem, parameters)}") from None


async def _has_table(connection: psycopg.AsyncConnection[Any], table: str) -> bool:
    cursor = connection.cursor(row_factory=scalar_row)
    return bool(await (await cursor.execute("select to_regclass(%s) is not null", (table,))).fetchone())


async def _read_leader(connection: psycopg.AsyncConnection[Any]) -> tuple[str | None, float | None]:
    if not await _has_table(connection, "triage.leadership"):
        return None, None
    row = await (await connection.execute(_LEADER)).fetchone()
    return (row[0], row[1]) if row else (None, None)


async def _count(connection: psycopg.AsyncConnection[Any], query: str) -> int:
    cursor = connection.cursor(row_factory=scalar_row)
    return int(await (await cursor.execute(query.encode())).fetchone() or 0)


async def _count_deliveries(connection: psycopg.AsyncConnection[Any]) -> int | None:
    return await _count(connection, _DELIVERIES) if await _has_table(connection, "triage.deliveries") else None


async def _read_jobs(connection: psycopg.AsyncConnection[Any]) -> tuple[int | None, float]:
    """Return the number of jobs that wait, and the age of the oldest in seconds."""
    if not await _has_table(connection, "triage.jobs"):
        return None, 0.0
    row = await (await connection.execute(COUNTS)).fetchone()
    return (row[0], row[2]) if row else (None, 0.0)
