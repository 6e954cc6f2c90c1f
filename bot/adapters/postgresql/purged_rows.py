"""Purge of single tables: rows are read in parts, and those that the criterion takes are deleted."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database
    from bot.models.purge_criterion import Criterion

_PART = 1_000
_THREADS = """
select thread_id, body from triage.threads
 where thread_id > %(after)s and (%(text)s = '' or strpos(body, %(text)s) > 0 or thread_id = any(%(threads)s))
 order by thread_id limit %(limit)s
"""
_QUARANTINE = "select id, name, content from triage.quarantine where id > %(after)s order by id limit %(limit)s"
_SESSIONS = """
select session_id, content from triage.sessions
 where session_id > %(after)s and session_id < %(until)s order by session_id limit %(limit)s
"""
_CONVERSATIONS = """
select conversation, content from triage.conversations where conversation > %(after)s order by conversation
 limit %(limit)s
"""
_DELIVERIES = "select id, body from triage.deliveries where id > %(after)s order by id limit %(limit)s"
_JOBS = """
select job_id, run_key || content || coalesce(result, '') from triage.jobs
 where job_id > %(after)s and (%(before)s::timestamptz is null or deferred_at < %(before)s)
 order by job_id limit %(limit)s
"""
_DELETE_JOBS = """
with gone as (delete from triage.jobs where job_id = any(%s) returning job_id)
delete from procrastinate_jobs where id in (select job_id from gone)
"""
_RECORDS = """
select id, record from triage.journal_records
 where journal = %(journal)s and id > %(after)s and strpos(record, %(text)s) > 0 order by id limit %(limit)s
"""
_OLD_RECORDS = """
select id, record from triage.journal_records
 where journal = %(journal)s and id > %(after)s and (at is null or at < %(before)s) order by id limit %(limit)s
"""
_ANSWERS = """
select delivery_id, content from triage.answers where delivery_id > %(after)s order by delivery_id limit %(limit)s
"""
_DELETE_RECORDS = "delete from triage.journal_records where journal = %s and id = any(%s)"
_STRIP = "update triage.journal_records set record = %s where journal = %s and id = %s"


class RowPurge:
    """Purge of tables; without `really` the rows are only counted."""

    def __init__(self, database: Database, *, really: bool) -> None:
        self._database, self._really = database, really

    async def purge_threads(self, criterion: Criterion) -> int:
        """Remove documents; return their number."""

        def takes(thread_id: str, body: bytes) -> bool:
            return criterion.takes_document(f"{thread_id}.json", b'{"thread":{"1":%s}}' % body)

        text = criterion.channel or criterion.user or ""
        values = {"text": text, "threads": [*criterion.threads]}
        delete = "delete from triage.threads where thread_id = any(%s)"
        return await self._purge(_THREADS, values, takes, delete)

    async def purge_quarantine(self, criterion: Criterion) -> int:
        """Remove what did not parse; return the number of rows."""
        count = 0
        async for rows in self._parts(_QUARANTINE, {"after": 0}):
            doomed = [n for n, name, text in rows if criterion.takes_document(f"{name}.json", text.encode())]
            count += len(doomed)
            await self._delete("delete from triage.quarantine where id = any(%s)", doomed)
        return count

    async def purge_sessions(self, criterion: Criterion) -> int:
        """Remove sessions; return their number. Their ids begin with their day."""
        until = f"{criterion.before + timedelta(days=1):%Y%m%d}" if criterion.before else "~"
        delete = "delete from triage.sessions where session_id = any(%s)"
        return await self._purge(_SESSIONS, {"until": until}, lambda _, line: criterion.takes_line(line), delete)

    async def purge_conversations(self, criterion: Criterion) -> int:
        """Remove conversations; return their number."""
        delete = "delete from triage.conversations where conversation = any(%s)"
        return await self._purge(_CONVERSATIONS, {}, lambda _, line: criterion.takes_line(line), delete)

    async def purge_deliveries(self, criterion: Criterion) -> None:
        """Remove what no leader has taken, and answers."""
        delete = "delete from triage.deliveries where id = any(%s)"
        await self._purge(_DELIVERIES, {"after": 0}, lambda _, line: criterion.takes_line(line), delete)
        delete = "delete from triage.answers where delivery_id = any(%s)"
        await self._purge(_ANSWERS, {"after": 0}, lambda _, line: criterion.takes_line(line), delete)

    async def purge_jobs(self, criterion: Criterion) -> None:
        """Remove jobs with their orders, results and accounts; by age those that were deferred before."""

        def takes(_: int, line: bytes) -> bool:
            return criterion.before is not None or criterion.takes_line(line)

        await self._purge(_JOBS, {"after": 0, "before": criterion.before}, takes, _DELETE_JOBS)

    async def purge_journal(
        self, journal: str, criterion: Criterion, strip: Callable[[bytes], bytes | None] | None = None
    ) -> int:
        """Remove records; return their number. Of those that `strip` returns a line for, that one stays."""
        count = 0
        text = "" if criterion.threads or criterion.thread_id else criterion.channel or criterion.user or ""
        values = {"journal": journal, "before": criterion.before, "text": text, "after": 0}
        async for rows in self._parts(_OLD_RECORDS if criterion.before else _RECORDS, values):
            lines = [(number, f"{record}\n".encode()) for number, record in rows]
            doomed = await asyncio.to_thread(
                lambda lines: [row for row in lines if criterion.takes_line(row[1])], lines
            )
            left = {number: case for number, line in doomed if strip and (case := strip(line))}
            count += len(doomed)
            if self._really and doomed:
                await self._replace(journal, [number for number, _ in doomed if number not in left], left)
        return count

    async def journal_lines(self, journal: str, text: str) -> AsyncIterator[list[bytes]]:
        """Yield the lines of a journal that contain a text, in parts."""
        async for rows in self._parts(_RECORDS, {"journal": journal, "text": text, "after": 0}):
            yield [record.encode() for _, record in rows]

    async def _replace(self, journal: str, doomed: list[int], left: dict[int, bytes]) -> None:
        async def replace(connection: Connection) -> None:
            await connection.execute(_DELETE_RECORDS, (journal, doomed))
            for number, line in left.items():
                await connection.execute(_STRIP, (line.decode().strip(), journal, number))

        await self._database.write(replace)

    async def _purge(self, query: str, values: dict[str, Any], takes: Callable[[Any, bytes], bool], delete: str) -> int:
        count = 0
        async for rows in self._parts(query, {"after": "", **values}):
            lines = [(key, content.encode()) for key, content in rows]
            doomed = await asyncio.to_thread(lambda lines: [key for key, line in lines if takes(key, line)], lines)
            count += len(doomed)
            await self._delete(delete, doomed)
        return count

    async def _delete(self, delete: str, doomed: list[Any]) -> None:
        if self._really and doomed:
            await self._database.write(lambda connection: connection.execute(delete.encode(), (doomed,)))

    async def _parts(self, query: str, values: dict[str, Any]) -> AsyncIterator[list[Any]]:
        """Yield the rows in parts; each part begins after the key that ended the last one."""
        while rows := await self._fetch(query, {**values, "limit": _PART}):
            yield rows
            values = {**values, "after": rows[-1][0]}

    async def _fetch(self, query: str, values: dict[str, Any]) -> list[Any]:
        async def fetch(connection: Connection) -> list[Any]:
            return await (await connection.execute(query.encode(), values)).fetchall()

        return await self._database.read(fetch)
