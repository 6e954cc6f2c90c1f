"""Deliveries in the database: every replica stores what it gets, the leader takes it, in the order of their ids.

What waits to be stored is stored together, in one transaction, before any of it is acknowledged. A body is erased as
soon as the leader has taken it; the row stays for a day, so that a repeated delivery is known by its `event_id`.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bot.adapters.postgresql.notifications import listen
from bot.models.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from bot.adapters.postgresql.database import Database

TO_LEADER, ANSWERS = "triage_to_leader", "triage_answers"
_BATCH = 500
_LOOKED_UP_EVERY = 0.3
"""Seconds after which an answer is looked for although nothing told of it."""
_STORE = b"""
with stored as (
insert into triage.deliveries (event_id, origin, kind, body)
select event_id, %(origin)s, kind, body
  from unnest(%(event_ids)s::text[], %(kinds)s::text[], %(bodies)s::text[]) as given (event_id, kind, body)
on conflict (event_id) do nothing
returning event_id, id)
select event_id, id, pg_notify(%(channel)s, '') from stored
"""
"""One message to the server: an ack waits for it. Equal notifications of one transaction are sent once."""
_WAITING = """
select id, event_id, kind, body, extract(epoch from clock_timestamp() - received_at)::float8
  from triage.deliveries
 where taken_at is null and id <> all(%(besides)s::bigint[])
 order by id
 limit %(limit)s
"""
_TAKE = """
update triage.deliveries set taken_at = clock_timestamp(), body = ''
 where id = any(%s::bigint[]) and taken_at is null
returning id
"""
_ANSWER = """
insert into triage.answers (delivery_id, content) values (%s, %s) on conflict (delivery_id) do nothing
"""


class StoredDeliveries:
    """The port `DeliveryQueue`. `origin` names the replica.

    The database is one of its own, so that no ack waits for a connection behind the leader's work.
    """

    def __init__(self, database: Database, *, origin: str) -> None:
        self._database, self._origin = database, origin
        self._unstored: list[tuple[Delivery, asyncio.Future[int]]] = []
        self._storing: asyncio.Task[None] | None = None
        self._sent: set[asyncio.Future[int]] = set()
        self._answered: dict[int, asyncio.Event] = {}
        self._hearing: asyncio.Task[None] | None = None

    def put(self, delivery: Delivery) -> asyncio.Future[int]:
        """Start to store a delivery; the result is its id, 0 for a repeated one. Raises `RetryLater`."""
        stored: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._unstored.append((delivery, stored))
        if self._storing is None or self._storing.done():
            self._storing = asyncio.create_task(self._store_all(), name="deliveries")
        return stored

    def give_up(self, stored: asyncio.Future[int]) -> bool:
        """Have a delivery stored no more; return whether that is sure, as it is until it is sent to the server."""
        return stored not in self._sent and stored.cancel()

    async def _store_all(self) -> None:
        while self._unstored:
            batch, self._unstored = self._unstored[:_BATCH], self._unstored[_BATCH:]
            keyed = [(each.event_id or f"own-{secrets.token_hex(12)}", each, stored) for each, stored in batch]
            try:
                ids = await self._store(keyed)
            except Exception as problem:  # it is raised where the ack waits
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(problem)
                continue
            finally:
                self._sent.clear()
            for key, _, stored in keyed:
                if not stored.done():
                    stored.set_result(ids.get(key, 0))

    async def _store(self, keyed: list[tuple[str, Delivery, asyncio.Future[int]]]) -> dict[str, int]:
        def find_values() -> dict[str, Any]:
            wanted = [each for each in keyed if not each[2].cancelled()]
            self._sent.update(stored for _, _, stored in wanted)
            return {
                "origin": self._origin,
                "channel": TO_LEADER,
                "event_ids": [key for key, _, _ in wanted],
                "kinds": [delivery.kind for _, delivery, _ in wanted],
                "bodies": [json.dumps(delivery.body) for _, delivery, _ in wanted],
            }

        return {event_id: delivery_id for event_id, delivery_id, _ in await self._database.insert(_STORE, find_values)}

    async def withdraw(self, delivery_id: int) -> bool:
        """Take a delivery back that no leader has taken; return whether that was so."""
        async with self._database.transaction() as connection:
            return bool((await connection.execute(_TAKE, ([delivery_id],))).rowcount)

    async def wait_for_answer(self, delivery_id: int, seconds: float) -> dict[str, Any] | None:
        """Return the answer to a delivery; `None` if there is none within this time."""
        if self._hearing is None or self._hearing.done():
            self._hearing = asyncio.create_task(self._hear(), name="answers")
        told = self._answered.setdefault(delivery_id, asyncio.Event())
        until = time.monotonic() + seconds
        try:
            while True:
                told.clear()
                if (content := await self._read_answer(delivery_id)) is not None:
                    return content
                if (left := until - time.monotonic()) <= 0:
                    return None
                with suppress(TimeoutError):
                    await asyncio.wait_for(told.wait(), min(left, _LOOKED_UP_EVERY))
        finally:
            self._answered.pop(delivery_id, None)

    async def _read_answer(self, delivery_id: int) -> dict[str, Any] | None:
        query = "select content from triage.answers where delivery_id = %s"
        async with self._database.transaction() as connection:
            row = await (await connection.execute(query, (delivery_id,))).fetchone()
        return None if row is None else dict(json.loads(row[0]))

    async def _hear(self) -> None:
        async for word in listen(self._database.address, ANSWERS):
            told = (self._answered.get(int(word)),) if word else tuple(self._answered.values())
            for each in told:
                if each:
                    each.set()

    async def list_waiting(self, limit: int, *, besides: Collection[int]) -> list[Delivery]:
        """Return the oldest deliveries that were not taken, besides those."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(_WAITING, {"besides": list(besides), "limit": limit})
            rows = await cursor.fetchall()
        return [
            Delivery(kind=kind, event_id=event_id, body=json.loads(body), delivery_id=delivery_id, age=age)
            for delivery_id, event_id, kind, body, age in rows
        ]

    async def take(self, delivery_ids: Collection[int]) -> set[int]:
        """Mark deliveries as taken; return those that were not. Raises `Fenced`."""
        async with self._database.transaction(fenced=True) as connection:
            rows = await (await connection.execute(_TAKE, (list(delivery_ids),))).fetchall()
        return {delivery_id for (delivery_id,) in rows}

    async def answer(self, delivery_id: int, content: dict[str, Any]) -> None:
        """Answer a delivery. Raises `Fenced`."""
        async with self._database.transaction(fenced=True) as connection:
            await connection.execute(_ANSWER, (delivery_id, json.dumps(content)))
            await connection.execute("select pg_notify(%s, %s)", (ANSWERS, str(delivery_id)))

    async def remove_taken(self) -> None:
        """Remove what was taken a day ago, with its answers, and the numbers of connections that have ended since.

        Nobody asks for a number for so long: a doubt about a commit lasts as long as the server is awaited. Raises
        `Fenced`.
        """
        async with self._database.transaction(fenced=True) as connection:
            await connection.execute("delete from triage.connections where at < clock_timestamp() - interval '1 day'")
            await connection.execute(
                "with old as (delete from triage.deliveries where taken_at < clock_timestamp() - interval '1 day'"
                " returning id) delete from triage.answers where delivery_id in (select id from old)"
            )

    async def signal(self, word: str) -> None:
        """Send a word to the leader; lost if there is none."""
        async with self._database.transaction() as connection:
            await connection.execute("select pg_notify(%s, %s)", (TO_LEADER, word))

    def signals(self) -> AsyncIterator[str]:
        """Yield the words of all replicas; an empty one when there may be deliveries."""
        return listen(self._database.address, TO_LEADER)

    async def close(self) -> None:
        """Stop hearing of answers."""
        if self._hearing:
            self._hearing.cancel()
            await asyncio.gather(self._hearing, return_exceptions=True)
