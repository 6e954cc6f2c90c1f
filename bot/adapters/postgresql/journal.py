"""Journal in the database (`Journal`): one row for each record, in the order of `put`, with group commit.

One writer gathers the waiting records and commits them together; then the appends return. While a commit is under way,
the next records gather. A journal with `may_refuse=False` asks for a stop when the server is away for too long, since
its records are made after the ack and are not repeated before the next start.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from bot.adapters.postgresql.journal_search import Search
from bot.adapters.postgresql.texts import serialise_record
from bot.errors import TriageError
from bot.models.record_time import line_time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import datetime

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database
    from bot.models.journal_query import JournalPage, JournalQuery

log = logging.getLogger(__name__)

_BATCH = 2_000
_APPEND = """
insert into triage.journal_records (journal, at, record)
select %(journal)s, at, record
  from unnest(%(times)s::timestamptz[], %(records)s::text[]) with ordinality as given (at, record, place)
 order by place
"""
_TAIL = "select record from triage.journal_records where journal = %(journal)s order by id desc limit %(limit)s"
_FIRST = "select record from triage.journal_records where journal = %(journal)s order by id limit 1"
_FIRST_SINCE = """
select coalesce(min(id), 9223372036854775807)
  from triage.journal_records where journal = %(journal)s and at >= %(since)s
"""
_NEXT = """
select id, record from triage.journal_records
 where journal = %(journal)s and id >= %(first)s and (%(since)s::timestamptz is null or at is null or at >= %(since)s)
 order by id limit %(limit)s
"""


class StoredJournal:
    """One journal of the table of records."""

    def __init__(self, database: Database, name: str, *, may_refuse: bool = True, gathering: float = 0.0) -> None:
        self._database, self._name, self._may_refuse, self._gathering = database, name, may_refuse, gathering
        self._waiting: list[tuple[str, asyncio.Future[None], bool]] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Append a record; on return it is committed. Raises `RetryLater` if it could not be."""
        await self.put(record, may_be_lost=may_be_lost)

    def put(self, record: dict[str, Any], *, may_be_lost: bool = False) -> asyncio.Future[None]:
        """Queue a record; when the returned future is done, the record is committed."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((serialise_record(record), done, may_be_lost or self._may_refuse))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_all(), name=f"journal {self._name}")
        return done

    async def tail(self, limit: int) -> list[dict[str, Any]]:
        """Return the last `limit` parsable records, oldest first. Raises `TriageError`."""
        rows = await self._fetch(_TAIL, limit=limit)
        parsed = (self._parse(text) for (text,) in reversed(rows))
        return [record for record in parsed if record is not None]

    async def records(self, since: datetime | None = None) -> AsyncIterator[dict[str, Any]]:
        """Yield every parsable record, oldest first; with `since` without those of an earlier time."""
        async for record in self._read_all(since):
            if record is not None:
                yield record

    def records_and_damage(self) -> AsyncIterator[dict[str, Any] | None]:
        """Yield every record, oldest first, and `None` for each that does not parse."""
        return self._read_all(None)

    async def _read_all(self, since: datetime | None) -> AsyncIterator[dict[str, Any] | None]:
        first = (await self._fetch(_FIRST_SINCE, since=since))[0][0] if since else 0
        while rows := await self._fetch(_NEXT, since=since, first=first, limit=_BATCH):
            for _, text in rows:
                yield self._parse(text)
            first = rows[-1][0] + 1

    async def newest(self, query: JournalQuery) -> JournalPage:
        """Find the newest records of a time, within a limit of rows. Raises `TriageError`."""
        return await Search(self._name, self._fetch, query).run()

    async def set_aside_if(self, is_over: Callable[[bytes], bool]) -> bool:
        """Return whether `is_over` returns true for the oldest record; rows are removed by age without a rotation."""
        rows = await self._fetch(_FIRST)
        return bool(rows) and is_over(rows[0][0].encode() + b"\n")

    async def close(self) -> None:
        """Write the waiting records."""
        while self._writer:
            await asyncio.wait([self._writer])

    async def _fetch(self, query: str, **values: Any) -> list[Any]:
        async def fetch(connection: Connection) -> list[Any]:
            return await (await connection.execute(query.encode(), {"journal": self._name, **values})).fetchall()

        return await self._database.read(fetch)

    async def _write_all(self) -> None:
        try:
            if self._gathering:
                await asyncio.sleep(self._gathering)
            while self._waiting:
                batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
                problem = await self._write_batch(batch)
                for _, done, _ in batch:
                    if not done.done():
                        done.set_exception(problem) if problem else done.set_result(None)
        finally:
            self._writer = None

    async def _write_batch(self, batch: list[tuple[str, asyncio.Future[None], bool]]) -> TriageError | None:
        records = [record for record, _, _ in batch]
        times = [line_time(record.encode()) for record in records]
        values = {"journal": self._name, "times": times, "records": records}
        may_refuse = all(may_refuse for _, _, may_refuse in batch)
        try:
            await self._database.execute(_APPEND, values, may_refuse=may_refuse)
        except TriageError as problem:
            return problem
        return None

    def _parse(self, text: str) -> dict[str, Any] | None:
        try:
            record = json.loads(text)
        except ValueError:
            log.warning("%s: a record of %d characters does not parse and is skipped", self._name, len(text))
            return None
        return record if isinstance(record, dict) else None
