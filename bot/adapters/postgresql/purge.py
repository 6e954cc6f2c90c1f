"""Purge: permanent removal of data from the database by age, thread, channel or user.

Rows are read in parts, each removed in a transaction: a purge that was cut short is repeated from its beginning.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.adapters.postgresql.purged_rows import RowPurge
from bot.adapters.postgresql.states import StoredState
from bot.adapters.postgresql.tasks import StoredTasks
from bot.models.note import passages
from bot.models.purge_criterion import PurgeCounts
from bot.models.purged_records import (
    FORGETTING,
    find_own_thread,
    forget_entries,
    forget_rows,
    spare_window,
    strip_wrong,
)

if TYPE_CHECKING:
    from datetime import datetime

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database
    from bot.models.purge_criterion import Criterion

HISTORY, JUDGEMENTS = "health", "judgements"
_PASSING = "delete from triage.states where name = 'confirmations'"
_THREADS_OF = "select thread_id from triage.threads where strpos(body, %s) > 0"
_JOURNALS = "select distinct journal from triage.journal_records"
_NOTES = "select project, name, content, previous from triage.notes"
_CHANGE_NOTE = "update triage.notes set content = %s, previous = %s where project = %s and name = %s"
_REMOVE_NOTE = "delete from triage.notes where project = %s and name = %s"
_TASKS = """
select task, max(at) from (select task, changed_at as at from triage.task_records
                           union all select task, at from triage.task_lines) as files
 group by task order by task
"""
_TASK_CONTENT = """
select name, content from (select name, content, 0 as place from triage.task_records where task = %(task)s
                           union all select name, line, 1 from triage.task_lines where task = %(task)s) as files
 order by place, name <> 'task.json', name
"""
_HAS_THREAD = "select 1 from triage.threads where thread_id = %s"


async def purge(database: Database, criterion: Criterion, *, really: bool) -> PurgeCounts:
    """Remove the matching data; without `really` it is only counted."""
    rows = RowPurge(database, really=really)
    if criterion.user:
        criterion = replace(criterion, threads=await find_threads_of(database, criterion.user))
    documents = await rows.purge_threads(criterion) + await rows.purge_quarantine(criterion)
    if really:
        await _write(database, _PASSING)
    records = await rows.purge_sessions(criterion) + await rows.purge_conversations(criterion)
    await _purge_tasks(database, criterion, really=really)
    await rows.purge_jobs(criterion)
    if criterion.before is None:
        await rows.purge_deliveries(criterion)
        records += await _purge_notes(database, criterion, really=really)
        if really:
            await _forget_states(database, criterion)
    for (journal,) in await _read(database, _JOURNALS):
        records += await _purge_journal(rows, journal, criterion)
    return PurgeCounts(records=records, documents=documents)


async def purge_old(database: Database, before: datetime, criterion: Criterion) -> int:
    """Remove what is older than a time, beside a running bot, except documents; return the number of records."""
    rows = RowPurge(database, really=True)
    await _write(database, "delete from triage.quarantine where at < %s", before)
    count = await rows.purge_sessions(criterion) + await rows.purge_conversations(criterion)
    await _purge_tasks(database, criterion, really=True)
    await rows.purge_jobs(criterion)
    journals = [name for (name,) in await _read(database, _JOURNALS) if name != HISTORY]
    return count + sum([await _purge_journal(rows, name, criterion) for name in journals])


async def purge_history(database: Database, criterion: Criterion) -> int:
    """Remove old records of the services' history; return their number."""
    return await _purge_journal(RowPurge(database, really=True), HISTORY, criterion)


async def find_threads_of(database: Database, user: str) -> frozenset[str]:
    """Return the threads whose document names the user, or that contain a message of the user."""
    threads = {name for (name,) in await _read(database, _THREADS_OF, user)}
    rows = RowPurge(database, really=False)
    async for lines in rows.journal_lines("events-classified", user):
        threads |= {own for line in lines if (own := find_own_thread(line, user))}
    return frozenset(threads)


async def _purge_journal(rows: RowPurge, journal: str, criterion: Criterion) -> int:
    if journal != JUDGEMENTS:
        return await rows.purge_journal(journal, criterion)
    strips = None if criterion.before else strip_wrong
    return await rows.purge_journal(journal, spare_window(criterion), strips)


async def _purge_tasks(database: Database, criterion: Criterion, *, really: bool) -> None:
    """Remove the files of removed threads' tasks, and by age those whose thread is gone."""
    tasks = StoredTasks(database)
    for task, changed_at in await _read(database, _TASKS):
        if criterion.before is not None and changed_at >= criterion.before:
            continue
        files = [(str(name), bytes(content)) for name, content in await _read(database, _TASK_CONTENT, {"task": task})]
        owner = _owner(task, files)
        if criterion.before is not None:
            is_removed = not await _read(database, _HAS_THREAD, owner)
        else:
            content = task.encode() + b"\n".join(content for _, content in files)
            is_removed = criterion.takes_document(f"{owner}.json", content)
        if is_removed and really:
            await tasks.remove(owner, task)


def _owner(task: str, files: list[tuple[str, bytes]]) -> str:
    """Return the id of the thread whose task it is; its name if no record has one."""
    for name, content in files:
        with suppress(ValueError, AttributeError):
            record = json.loads(content) if name.endswith(".json") else {}
            if isinstance(owner := record.get("threadId") or record.get("thread_id"), str):
                return owner
    return task


async def _purge_notes(database: Database, criterion: Criterion, *, really: bool) -> int:
    """Remove the matching passages of notes and of their previous versions, and empty ones; return their number."""
    count = 0
    for project, name, *versions in await _read(database, _NOTES):
        remaining, removed = zip(*(_purge_note(version, criterion) for version in versions), strict=True)
        count += sum(removed)
        if really and not remaining[0]:
            await _write(database, _REMOVE_NOTE, project, name)
        elif really and sum(removed):
            await _write(database, _CHANGE_NOTE, *remaining, project, name)
    return count


def _purge_note(content: bytes | None, criterion: Criterion) -> tuple[bytes | None, int]:
    """Return what stays of a note, `None` for nothing, and the number of removed passages."""
    text = (content or b"").decode("utf-8", "surrogateescape")
    pieces = [piece.encode("utf-8", "surrogateescape") for piece in passages(text)]
    stay = [piece for piece in pieces if not criterion.takes_line(piece)]
    return (b"".join(stay) if b"".join(stay).strip() else None), len(pieces) - len(stay)


async def _forget_states(database: Database, criterion: Criterion) -> None:
    """Forget what the criterion takes of small state."""
    for name in (*FORGETTING, "samples"):
        state = StoredState(database, name)
        with suppress(AttributeError, KeyError, TypeError):
            if content := await state.read():
                forget = forget_rows if name == "samples" else forget_entries
                await state.write(await asyncio.to_thread(forget, content, criterion.takes_line))


async def _read(database: Database, query: str, *values: Any) -> list[Any]:
    async def fetch(connection: Connection) -> list[Any]:
        given = values[0] if values and isinstance(values[0], dict) else values
        return await (await connection.execute(query.encode(), given)).fetchall()

    return await database.read(fetch)


async def _write(database: Database, statement: str, *values: Any) -> None:
    await database.write(lambda connection: connection.execute(statement.encode(), values))
