"""Documents of the threads in the database (`Store`): one row for each, with its version.

A document that is closed and has no outstanding work has a summary beside it, which is all that a start reads of it.
A document that this process saved or read last is not transferred again while its row is the same.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.adapters.postgresql.quarantine import move_aside
from bot.adapters.postgresql.texts import parse_json, serialise_model, serialise_record
from bot.errors import Conflict, Unreadable
from bot.models.alert import AlertRecord
from bot.models.closed_thread import RULE, summarise_closed_thread
from bot.models.settlement import ClosedThread
from bot.models.thread import Thread
from bot.models.thread_id import THREAD_ID

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection
    from pathlib import PurePosixPath

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database

    Entry = tuple[str, Thread | ClosedThread | None]

REMEMBERED = 2_000
"""Number of documents kept in memory."""
_BATCH = 500
_ID = re.compile(THREAD_ID)
_FORMAT = Thread.model_fields["schema_version"].default
_LOAD = """
select xmin::text, case when xmin::text = %(stamp)s then null else body end
  from triage.threads where thread_id = %(thread_id)s
"""
_INSERT = """
insert into triage.threads (thread_id, version, is_closed, last_event_at, summary_rule, summary, body)
values (%(thread_id)s, %(version)s, %(is_closed)s, %(last_event_at)s, %(rule)s, %(summary)s, %(body)s)
on conflict (thread_id) do nothing
returning xmin::text
"""
_UPDATE = """
update triage.threads
   set version = %(version)s, is_closed = %(is_closed)s, last_event_at = %(last_event_at)s,
       summary_rule = %(rule)s, summary = %(summary)s, body = %(body)s
 where thread_id = %(thread_id)s and version = %(version)s - 1
returning xmin::text
"""
_NEXT = """
select thread_id, case when is_summed then summary end, case when is_summed then null else body end
  from (select *, summary is not null and summary_rule = %(rule)s as is_summed from triage.threads) as threads
 where thread_id > %(after)s order by thread_id limit %(limit)s
"""
_NEXT_CLOSED = """
select thread_id, version, last_event_at, body from triage.threads
 where is_closed and last_event_at < %(before)s and (last_event_at, thread_id) > (%(after)s, %(after_id)s)
 order by last_event_at, thread_id limit %(limit)s
"""
_DELETE = """
delete from triage.threads as threads using unnest(%s::text[], %s::bigint[]) as removed (thread_id, version)
 where threads.thread_id = removed.thread_id and threads.version = removed.version
returning threads.thread_id
"""


class StoredThreads:
    """The port on the table of threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._saved: OrderedDict[str, tuple[str, Thread]] = OrderedDict()
        """Documents by id, each with the stamp of its row."""

    async def load(self, thread_id: str) -> Thread | None:
        """Return the newest saved document, or `None`. Raises `Unreadable` if it exists but does not parse."""
        _check_id(thread_id)
        stamp, thread = self._saved.get(thread_id, ("", None))
        values = {"thread_id": thread_id, "stamp": stamp}
        row = await self._database.read(lambda connection: _fetch_one(connection, _LOAD, values))
        if row is None:
            return None
        if row[1] is not None or thread is None:
            thread = self._parse(thread_id, row[1])
            self._remember(row[0], thread)
        return thread

    async def threads(self) -> AsyncIterator[Entry]:
        """Yield each saved thread by its id, in the order of the ids; `None` for an unparsable one.

        Of most closed threads only the summary is read.
        """
        after = ""
        while True:
            rows = await self._fetch(_NEXT, {"rule": RULE, "after": after, "limit": _BATCH})
            if not rows:
                return
            for entry in await asyncio.to_thread(lambda rows: [self._read_entry(*row) for row in rows], rows):
                yield entry
            after = rows[-1][0]

    async def save(self, thread: Thread) -> Thread:
        """Save a changed document; raises `Conflict` if another version was saved since `thread` was loaded."""
        _check_id(thread.thread_id)
        newer = thread.evolve(version=thread.version + 1)
        values = _values(newer)

        rows = await self._database.execute(_UPDATE if thread.version else _INSERT, values)
        if rows is None:  # the answer was lost: read back what was committed
            query = (
                "select xmin::text from triage.threads"
                " where thread_id = %(thread_id)s and version = %(version)s and body = %(body)s"
            )
            rows = await self._fetch(query, values)
        if not rows:
            raise await self._build_conflict(thread)
        self._remember(rows[0][0], newer)
        return newer

    async def quarantine(self, thread_id: str) -> PurePosixPath:
        """Move an unparsable document out of the way; return its new place."""
        _check_id(thread_id)
        take = "delete from triage.threads where thread_id = %s returning thread_id, body"
        return await self._database.write(lambda connection: move_aside(connection, take, thread_id))

    async def thread_ids(self) -> list[str]:
        """Return the ids of all saved threads, sorted."""
        return [name for (name,) in await self._fetch("select thread_id from triage.threads order by thread_id", {})]

    async def remove_closed(self, before: datetime, *, keep: Collection[str] = ()) -> list[str]:
        """Remove closed threads without events since `before`, except those to keep; return their ids. Unparsable ones
        stay, and those whose fix is under way."""
        removed: list[str] = []
        last: dict[str, Any] = {"after": datetime.min.replace(tzinfo=UTC), "after_id": ""}
        while rows := await self._fetch(_NEXT_CLOSED, {**last, "before": before, "limit": _BATCH}):
            last = {"after": rows[-1][2], "after_id": rows[-1][0]}
            doomed = [row for row in rows if row[0] not in keep and self._may_be_removed(row[0], row[3])]
            removed += await self._remove([(name, version) for name, version, _, _ in doomed])
        return removed

    async def remove(self, thread_id: str) -> bool:
        """Remove one thread unless it is open, does not parse, or its fix is under way; return whether it is gone."""
        rows = await self._fetch(
            "select version, body from triage.threads where thread_id = %(thread_id)s", {"thread_id": thread_id}
        )
        if not rows:
            return True
        ((version, body),) = rows
        return self._may_be_removed(thread_id, body) and bool(await self._remove([(thread_id, version)]))

    async def _fetch(self, query: str, values: dict[str, Any]) -> list[Any]:
        async def fetch(connection: Connection) -> list[Any]:
            return await (await connection.execute(query.encode(), values)).fetchall()

        return await self._database.read(fetch)

    async def _remove(self, versions: list[tuple[str, int]]) -> list[str]:
        names, numbers = [name for name, _ in versions], [number for _, number in versions]

        async def delete(connection: Connection) -> list[str]:
            return [name for (name,) in await (await connection.execute(_DELETE, (names, numbers))).fetchall()]

        return await self._database.write(delete) if versions else []

    async def _build_conflict(self, thread: Thread) -> Conflict:
        query = "select version from triage.threads where thread_id = %(thread_id)s"
        rows = await self._fetch(query, {"thread_id": thread.thread_id})
        saved = rows[0][0] if rows else 0
        return Conflict(f"{thread.thread_id}: version {thread.version} was changed, {saved} is saved")

    def _remember(self, stamp: str, thread: Thread) -> None:
        self._saved[thread.thread_id] = stamp, thread
        self._saved.move_to_end(thread.thread_id)
        while len(self._saved) > REMEMBERED:
            self._saved.popitem(last=False)

    def _may_be_removed(self, thread_id: str, body: str) -> bool:
        with suppress(Unreadable):
            return self._parse(thread_id, body).may_be_removed
        return False

    def _read_entry(self, thread_id: str, summary: str | None, body: str | None) -> Entry:
        try:
            return thread_id, _parse_summary(thread_id, summary) if summary else self._parse(thread_id, body or "")
        except (Unreadable, ValueError, KeyError, TypeError):
            return thread_id, None

    def _parse(self, thread_id: str, body: str) -> Thread:
        place = f"thread {thread_id} in the {self._database.place}"
        try:
            document = parse_json(body)
        except (ValueError, RecursionError) as problem:
            raise Unreadable(f"{place}: not JSON: {problem}") from problem
        if not isinstance(document, dict):
            raise Unreadable(f"{place}: holds no thread")
        if (version := document.get("schema_version")) != _FORMAT:
            raise Unreadable(f"{place}: its format is {version!r}; this Triage supports {_FORMAT}")
        try:
            thread = Thread.model_validate(document)
        except ValidationError as problem:
            raise Unreadable(f"{place}: {problem.error_count()} fields break the schema") from problem
        if thread.thread_id != thread_id:
            raise Unreadable(f"{place}: holds another thread, {thread.thread_id}")
        return thread


def _check_id(thread_id: str) -> None:
    if not _ID.fullmatch(thread_id):
        raise Unreadable(f"{thread_id[:80]!r} is not a thread id")


async def _fetch_one(connection: Connection, query: str, values: dict[str, Any]) -> Any:
    return await (await connection.execute(query.encode(), values)).fetchone()


def _values(thread: Thread) -> dict[str, Any]:
    body = serialise_model(thread)
    closed = summarise_closed_thread(parse_json(body), thread.thread_id) if thread.status == "closed" else None
    return {
        "thread_id": thread.thread_id,
        "version": thread.version,
        "is_closed": thread.status == "closed",
        "last_event_at": thread.last_event_at,
        "rule": RULE,
        "summary": serialise_summary(closed) if closed else None,
        "body": body,
    }


def serialise_summary(closed: ClosedThread) -> str:
    """Return the summary of a closed thread as text."""
    alert = closed.alert.model_dump(mode="json") if closed.alert else None
    ended_at = closed.ended_at.isoformat() if closed.ended_at else None
    return serialise_record({"asker": closed.original_sender_id, "alert": alert, "ended_at": ended_at})


def _parse_summary(thread_id: str, text: str) -> ClosedThread:
    saved = parse_json(text)
    alert = AlertRecord.model_validate(saved["alert"]) if saved["alert"] else None
    ended_at = datetime.fromisoformat(saved["ended_at"]) if saved["ended_at"] else None
    return ClosedThread(thread_id, saved["asker"], alert, ended_at)
