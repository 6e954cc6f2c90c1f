"""What a transition costs in the database, load and save, with few and with many threads."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import TYPE_CHECKING

import psycopg

from bot.adapters.clock import SystemClock
from bot.adapters.postgresql.database import Database
from bot.adapters.postgresql.threads import StoredThreads
from tests.builders import added, moved

if TYPE_CHECKING:
    from collections.abc import Callable

FEW = 1_000
_WARM = 100
_COPY = """
insert into triage.threads (thread_id, version, is_closed, last_event_at, summary_rule, summary, body)
select 'T0COPY-C0HELP-' || number || '.000001', version, true, last_event_at, summary_rule, summary, body
  from triage.threads, generate_series(%(first)s::bigint, %(last)s::bigint) as number
 where thread_id = %(model)s
"""
_STEP = 100_000


async def compare_saves(
    address: str, rows: int, tell: Callable[[str], None], *, saves: int = 1_500
) -> tuple[float, float]:
    """Return the median seconds of a load with its save, with `FEW` threads and with `rows`."""
    database = Database(address, clock=SystemClock())
    await database.open()
    try:
        store = StoredThreads(database)
        model = await store.save(moved(None, added(ts="1.000001")))
        await _copy(address, model.thread_id, 1, FEW)
        few = await _measure(database, 1_000, saves)
        for first in range(FEW + 1, rows + 1, _STEP):
            await _copy(address, model.thread_id, first, min(rows, first + _STEP - 1))
            tell(f"{min(rows, first + _STEP - 1):,} threads are in the table")
        return few, await _measure(database, 2_000, saves)
    finally:
        await database.close()


async def _copy(address: str, model: str, first: int, last: int) -> None:
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
        await connection.execute(_COPY, {"model": model, "first": 1_000_000_000 + first, "last": 1_000_000_000 + last})
        await connection.execute("analyze triage.threads")
        await connection.execute("checkpoint")


async def _measure(database: Database, first: int, saves: int) -> float:
    """Return the median of loads with saves, of twenty threads in turns, each by a store that remembers nothing."""
    ids = [
        (await StoredThreads(database).save(moved(None, added(ts=f"{first + number}.000001")))).thread_id
        for number in range(20)
    ]
    took: list[float] = []
    for number in range(_WARM + saves):
        store = StoredThreads(database)
        began = time.perf_counter()
        found = await store.load(ids[number % len(ids)])
        assert found is not None  # noqa: S101  # it was saved
        await store.save(found)
        took.append(time.perf_counter() - began)
        await asyncio.sleep(0)
    return statistics.median(took[_WARM:])
