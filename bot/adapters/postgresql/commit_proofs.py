"""Proofs of commits: each transaction leaves its number in a row of its connection, to be looked up in doubt."""

from __future__ import annotations

import secrets
from typing import Any

import psycopg

CLOSE = """
insert into triage.connections as known (connection_id, last_commit, closed_at) values (%s, 0, 0)
on conflict (connection_id) do update set closed_at = known.last_commit, at = clock_timestamp()
returning known.last_commit
"""
"""Waits for a transaction of that connection that is still under way, and lets no other come after it."""
PROOF = """
with proof as (
    insert into triage.connections (connection_id, last_commit)
    select %(connection)s, triage.checked(%(epoch)s, %(commit)s)
    on conflict (connection_id) do update set last_commit = excluded.last_commit, at = clock_timestamp())
"""
"""Beginning of a transaction of one statement: it checks the epoch and leaves the number."""
_LEAVE_NUMBER = """
insert into triage.connections (connection_id, last_commit) values ({}, {})
on conflict (connection_id) do update set last_commit = excluded.last_commit, at = clock_timestamp()
"""


class Connection(psycopg.AsyncConnection[Any]):
    """A connection with the number of its row in the table of connections."""

    number: int
    commits: int = 0


async def give_number(connection: Connection) -> None:
    """Give a new connection its number."""
    connection.number = secrets.randbits(62)


def begin_transaction(epoch: int | None, number: int, commit: int) -> bytes:
    """Return the beginning of a transaction, in one message."""
    check = f"select triage.check_epoch({'null' if epoch is None else epoch})"
    return f"begin; {check}; {_LEAVE_NUMBER.format(number, commit)}".encode()
