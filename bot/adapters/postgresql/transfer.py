"""Transfer of the whole shared state: its items into empty tables in one transaction, and out of a snapshot.

An import that ends early leaves nothing behind. Text that does not parse is taken along as it is.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from bot.adapters.postgresql.address import describe_error, describe_place, read_address
from bot.adapters.postgresql.leadership import EPOCHS, LeaseTerms
from bot.adapters.postgresql.texts import parse_json
from bot.adapters.postgresql.threads import serialise_summary
from bot.errors import Misconfigured
from bot.models.closed_thread import RULE, summarise_closed_thread
from bot.models.record_time import line_time
from bot.models.stored_item import Kind, StoredItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Row = tuple[Any, ...]

_EMPTY_TABLES = """
select tablename from pg_tables
 where schemaname = 'triage' and tablename not in ('migrations', 'queue_migrations', 'leadership', 'connections')
 order by tablename
"""
_LEADER = """
select holder from triage.leadership
 where holder <> '' and beat_at >= clock_timestamp() - make_interval(secs => %(lasts)s)
"""
_KEEP_PREVIOUS = "update triage.notes set previous = %s where project = %s and name = %s"
_COUNT = """
select sum(reltuples)::bigint from pg_class join pg_namespace on pg_namespace.oid = relnamespace
 where nspname = 'triage' and relkind = 'r'
"""


@dataclass(frozen=True)
class _Table:
    """Table of a kind: its columns with the row of an item, and the query of all items with their key and content."""

    name: str
    columns: tuple[str, ...]
    to_row: Callable[[StoredItem], Row]
    query: str


def _text(item: StoredItem) -> str:
    return item.content.decode()


def _saved_at(item: StoredItem) -> datetime:
    """Return the time at which a conversation was saved, else that of its file."""
    with suppress(ValueError, KeyError, TypeError):
        at = datetime.fromisoformat(parse_json(_text(item))["saved_at"])
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    return item.at or datetime.now(UTC)


def _describe_thread(item: StoredItem) -> Row:
    """Return the row of a document; one that does not parse is open, so that a start finds it."""
    (thread_id,), text = item.key, _text(item)
    try:
        document = parse_json(text)
        is_closed = document["status"] == "closed"
        closed = summarise_closed_thread(document, thread_id) if is_closed else None
        at = datetime.fromisoformat(document["last_event_at"])
        summary = serialise_summary(closed) if closed else None
        return thread_id, int(document["version"]), is_closed, at, RULE, summary, text
    except (ValueError, KeyError, TypeError, RecursionError):
        return thread_id, 1, False, item.at or datetime.now(UTC), RULE, None, text


_TABLES: dict[Kind, _Table] = {
    "threads": _Table(
        "threads",
        ("thread_id", "version", "is_closed", "last_event_at", "summary_rule", "summary", "body"),
        _describe_thread,
        "select thread_id, body, null from triage.threads order by thread_id",
    ),
    "quarantine": _Table(
        "quarantine",
        ("name", "content", "at"),
        lambda item: (item.key[0], _text(item), item.at),
        "select name, content, at from triage.quarantine order by id",
    ),
    "journals": _Table(
        "journal_records",
        ("journal", "at", "record"),
        lambda item: (item.key[0], line_time(item.content), _text(item)),
        "select journal, record, null from triage.journal_records order by journal, id",
    ),
    "states": _Table(
        "states",
        ("name", "content"),
        lambda item: (item.key[0], _text(item)),
        "select name, content, written_at from triage.states order by name",
    ),
    "sessions": _Table(
        "sessions",
        ("session_id", "content"),
        lambda item: (item.key[0], _text(item)),
        "select session_id, content, null from triage.sessions order by session_id",
    ),
    "conversations": _Table(
        "conversations",
        ("conversation", "saved_at", "content"),
        lambda item: (item.key[0], _saved_at(item), _text(item)),
        "select conversation, content, saved_at from triage.conversations order by conversation",
    ),
    "task records": _Table(
        "task_records",
        ("task", "name", "content", "changed_at"),
        lambda item: (*item.key, item.content, item.at),
        "select task, name, content, changed_at from triage.task_records order by task, name",
    ),
    "task lines": _Table(
        "task_lines",
        ("task", "name", "line", "at"),
        lambda item: (*item.key[:2], item.content, item.at),
        "select task, name, line, at from triage.task_lines order by task, name, id",
    ),
    "notes": _Table(
        "notes",
        ("project", "name", "content", "changed_at"),
        lambda item: (*item.key, item.content, item.at),
        "select project, name, content, changed_at from triage.notes order by project, name",
    ),
    "previous notes": _Table(
        "",
        (),
        lambda item: (item.content, *item.key),
        "select project, name, previous, changed_at from triage.notes where previous is not null order by 1, 2",
    ),
}
_NUMBERED: tuple[Kind, ...] = ("journals", "task lines")


class TransferConnection:
    """Connection of one transfer, in one transaction of the tables' owner."""

    def __init__(self, connection: psycopg.Connection[Any], place: str) -> None:
        self._connection = connection
        self.place = place

    def demand_rest(self) -> None:
        """Keep every replica from leading until the end of the transaction. Raises `Misconfigured` if one leads."""
        self._connection.execute("select pg_advisory_xact_lock(%s)", (EPOCHS,))
        if row := self._connection.execute(_LEADER, {"lasts": LeaseTerms().lasts}).fetchone():
            raise Misconfigured(f"a bot runs on the {self.place} ({row[0]}): stop all replicas, and repeat this")

    def demand_empty(self) -> None:
        """Raise `Misconfigured` if a table has rows."""
        for (name,) in self._connection.execute(_EMPTY_TABLES).fetchall():
            query = sql.SQL("select exists (select from triage.{})").format(sql.Identifier(name))
            row = self._connection.execute(query).fetchone()
            if row and row[0]:
                raise Misconfigured(f"{self.place} is not empty: triage.{name} has rows; expected an empty database")

    def count_items(self) -> int:
        """Return the estimated number of rows."""
        row = self._connection.execute(_COUNT).fetchone()
        return max(1, int(row[0] or 0)) if row else 1

    def insert(self, items: Iterable[StoredItem]) -> None:
        """Insert items, whose kinds come one after the other."""
        for kind, group in itertools.groupby(items, key=lambda item: item.kind):
            table = _TABLES[kind]
            if not table.name:
                for item in group:
                    self._connection.execute(_KEEP_PREVIOUS, table.to_row(item))
                continue
            columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
            copy = sql.SQL("copy triage.{} ({}) from stdin").format(sql.Identifier(table.name), columns)
            with self._connection.cursor().copy(copy) as rows:
                for item in group:
                    rows.write_row(table.to_row(item))

    def read(self) -> Iterator[StoredItem]:
        """Yield every item, kind by kind, lines in their order."""
        for kind, table in _TABLES.items():
            numbers: dict[Row, Iterator[int]] = {}
            with self._connection.cursor(name="transfer") as cursor:
                cursor.itersize = 500
                for *key, content, at in cursor.execute(table.query.encode()):
                    names = tuple(map(str, key))
                    whole = content.encode() if isinstance(content, str) else bytes(content)
                    if kind not in _NUMBERED:
                        yield StoredItem(kind, names, whole, at)
                        continue
                    number = numbers.setdefault(names, itertools.count())
                    for line in whole.split(b"\n"):  # the head of a task's journal has several
                        yield StoredItem(kind, (*names, str(next(number))), line, at)


@contextmanager
def open_transfer(address: str | None, *, writes: bool) -> Iterator[TransferConnection]:
    """Open a transaction, which is committed at the end of the block; without `writes` it sees one snapshot.

    Raises `Misconfigured` if the database cannot be used.
    """
    parameters = read_address(address)
    place = describe_place(parameters)
    given: dict[str, Any] = {"connect_timeout": 10, "application_name": "triage transfer", **parameters}
    try:
        with psycopg.connect(**given) as connection:
            if not writes:
                connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
                connection.read_only = True
            yield TransferConnection(connection, place)
    except psycopg.Error as problem:
        raise Misconfigured(f"{place} cannot be used: {describe_error(problem, parameters)}") from None
