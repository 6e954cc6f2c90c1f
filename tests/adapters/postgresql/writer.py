"""A process that writes to the address of its argument until it is killed, and prints what is saved."""

from __future__ import annotations

import asyncio
import sys

from bot.adapters.clock import SystemClock
from bot.adapters.postgresql.database import Database
from bot.adapters.postgresql.journal import StoredJournal
from bot.adapters.postgresql.threads import StoredThreads
from tests.builders import added, moved


async def write(address: str) -> None:
    """Append numbers from many tasks, and save one thread again and again."""
    database = Database(address, clock=SystemClock())
    await database.open()
    journal, thread = StoredJournal(database, "events"), moved(None, added())

    async def append(number: int) -> None:
        await journal.append({"n": number})
        print(f"record {number}", flush=True)  # noqa: T201  # to the test

    threads, number = StoredThreads(database), 0
    while True:
        appends = [asyncio.create_task(append(number + each)) for each in range(10)]
        thread = await threads.save(thread)
        await asyncio.gather(*appends)
        print(f"version {thread.version}", flush=True)  # noqa: T201  # the same
        number += 10


asyncio.run(write(sys.argv[1]))
