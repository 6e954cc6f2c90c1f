"""Records and threads of a period, for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.errors import TriageError
from bot.reports.minutes import read_moment

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.ports.outbound import Journal, Store


async def records_since(journal: Journal, key: str, since: datetime) -> list[dict[str, Any]]:
    """Return the records whose time under `key` is not before `since`."""
    records = journal.records(since=since)
    return [record async for record in records if (at := read_moment(record.get(key))) and at >= since]


async def threads_since(store: Store, since: datetime) -> list[Thread]:
    """Return the threads that began since; skip those that do not parse."""
    return (await read_threads(store, since))[0]


async def read_threads(store: Store, since: datetime) -> tuple[list[Thread], list[str]]:
    """Return the threads that began since, and the ids of those that do not parse."""
    threads, damaged = [], []
    for thread_id in await store.thread_ids():
        if float(thread_id.rpartition("-")[2]) < since.timestamp():
            continue
        try:
            thread = await store.load(thread_id)
        except TriageError:
            damaged.append(thread_id)
            continue
        if thread:
            threads.append(thread)
    return threads, damaged
