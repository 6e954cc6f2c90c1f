"""The queue of deliveries on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import psycopg
import pytest
import pytest_asyncio

from bot.adapters.clock import SystemClock
from bot.adapters.postgresql.database import Database
from bot.adapters.postgresql.deliveries import StoredDeliveries
from bot.errors import Fenced
from bot.models.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class _Epoch:
    """The number under which a test leads."""

    def __init__(self) -> None:
        self.epoch: int | None = 0


@pytest_asyncio.fixture
async def queue(database_address: str) -> AsyncIterator[StoredDeliveries]:
    """A queue of a replica that leads."""
    database = Database(database_address, clock=SystemClock(), fence=_Epoch())
    await database.open()
    stored = StoredDeliveries(database, origin="first")
    try:
        yield stored
    finally:
        await stored.close()
        await database.close()


def _event(number: int, text: str = "hello") -> Delivery:
    return Delivery(kind="event", event_id=f"Ev{number}", body={"event": {"text": text}})


def _command() -> Delivery:
    return Delivery(kind="command", event_id=None, body={"command": "/triage"})


async def test_deliveries_wait_in_the_order_of_the_calls_that_stored_them(queue: StoredDeliveries) -> None:
    await asyncio.gather(*(queue.put(_event(number)) for number in range(1_200)))
    waiting = await queue.list_waiting(2_000, besides=())
    assert [each.event_id for each in waiting] == [f"Ev{number}" for number in range(1_200)]


async def test_a_repeated_delivery_is_stored_once_also_after_it_was_taken(queue: StoredDeliveries) -> None:
    first = await queue.put(_event(1))
    await queue.take([first])
    again = await asyncio.gather(queue.put(_event(1)), queue.put(_event(2)), queue.put(_event(2)))
    assert again[0] == 0
    assert [each.event_id for each in await queue.list_waiting(9, besides=())] == ["Ev2"]


@pytest.mark.parametrize("text", ["nul \0 byte", "half \ud83d of a pair", "日本語 🎉", "'; drop schema triage; --"])
async def test_every_text_comes_out_as_it_went_in(queue: StoredDeliveries, text: str) -> None:
    await queue.put(_event(1, text))
    assert (await queue.list_waiting(1, besides=()))[0].body == {"event": {"text": text}}


async def test_a_body_is_erased_once_its_delivery_is_taken(queue: StoredDeliveries, database_address: str) -> None:
    delivery_id = await queue.put(_event(1, "for nobody else"))
    assert await queue.take([delivery_id]) == {delivery_id}
    assert await queue.take([delivery_id]) == set()
    async with await psycopg.AsyncConnection.connect(database_address) as connection:
        rows = await (await connection.execute("select body from triage.deliveries")).fetchall()
    assert rows == [("",)]


async def test_what_was_taken_cannot_be_withdrawn_nor_the_other_way_round(queue: StoredDeliveries) -> None:
    first, second = await queue.put(_command()), await queue.put(_command())
    assert await queue.take([first]) == {first}
    assert not await queue.withdraw(first)
    assert await queue.withdraw(second)
    assert await queue.take([second]) == set()


async def test_an_answer_reaches_the_replica_that_waits_for_it(queue: StoredDeliveries) -> None:
    delivery_id = await queue.put(_command())
    waiting = asyncio.create_task(queue.wait_for_answer(delivery_id, 20))
    await queue.answer(delivery_id, {"text": "done"})
    assert await waiting == {"text": "done"}
    assert await queue.wait_for_answer(delivery_id + 1, 0) is None


async def test_the_leader_hears_of_deliveries_and_words_of_other_replicas(queue: StoredDeliveries) -> None:
    words = queue.signals()
    assert await anext(words) == ""
    await queue.signal("reconnected")
    heard = ""
    while not heard:
        heard = await anext(words)
    assert heard == "reconnected"


async def test_a_former_leader_takes_and_answers_nothing(queue: StoredDeliveries, database_address: str) -> None:
    delivery_id = await queue.put(_event(1))
    async with await psycopg.AsyncConnection.connect(database_address, autocommit=True) as connection:
        await connection.execute("update triage.leadership set epoch = epoch + 1")
    with pytest.raises(Fenced):
        await queue.take([delivery_id])
    with pytest.raises(Fenced):
        await queue.answer(delivery_id, {})
    assert len(await queue.list_waiting(9, besides=())) == 1


async def test_connections_are_forgotten_a_day_after_their_last_commit_or_closing(
    queue: StoredDeliveries, database_address: str
) -> None:
    """A closed one refuses what comes late, however old its last commit was; an idle one begins a new row."""
    closed = "select closed_at from triage.connections where connection_id = %s"
    age = "update triage.connections set at = at - interval '25 hours'"
    idle = Database(database_address, clock=SystemClock(), size=1)
    await idle.open()
    try:
        async with idle.transaction() as connection:
            number, commit = connection.number, connection.commits
        with psycopg.connect(database_address, autocommit=True) as server:
            server.execute(age)
            assert await queue._database._is_committed(number, commit)
            await queue.remove_taken()
            assert server.execute(closed, (number,)).fetchone() == (commit,)
            server.execute(age)
            await queue.remove_taken()
            assert server.execute(closed, (number,)).fetchone() is None
            async with idle.transaction():
                pass
            assert server.execute(closed, (number,)).fetchone() == (None,)
    finally:
        await idle.close()
