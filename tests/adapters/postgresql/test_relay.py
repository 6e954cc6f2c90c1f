"""From a replica's intake through the queue to the leader's handlers, and back to the ack, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg
import pytest_asyncio

from bot.adapters.clock import SystemClock
from bot.adapters.listeners import Handlers
from bot.adapters.listeners.delivered import DeliveredListeners
from bot.adapters.listeners.relayed import NO_ANSWER, NO_DATABASE, NO_LEADER, RelayedPayloads, RelayedSignals
from bot.adapters.postgresql.database import Database
from bot.adapters.postgresql.deliveries import StoredDeliveries
from bot.models.delivery import Delivery
from bot.models.received_payload import ReceivedPayload
from bot.runtime.background_tasks import BackgroundTasks
from bot.runtime.stop_request import StopRequest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable

OWN = "U0TRIAGE"
DIALOG = {
    "type": "view_submission",
    "view": {"blocks": [{"type": "section"}, {"type": "input", "block_id": "answer"}]},
}


class _Leads:
    epoch: int | None = 0


@dataclass
class _Handler:
    """What the leader's parts were given; its answers to dialogs and commands are `answer`."""

    answer: dict[str, Any] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    handled: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    is_silent: bool = False

    def begin(self, body: dict[str, Any]) -> tuple[ReceivedPayload, Awaitable[None]]:
        self.bodies.append(body)
        return ReceivedPayload(kind="event", payload=None, event_id=body.get("event_id")), asyncio.sleep(0)

    async def record(self, body: dict[str, Any]) -> ReceivedPayload:
        received, recorded = self.begin(body)
        await recorded
        return received

    async def handle(self, received: ReceivedPayload) -> dict[str, Any]:
        self.handled.release()
        if self.is_silent:
            await asyncio.Event().wait()
        return self.answer

    def schedule_all(self) -> None:
        self.words.append("reconnected")
        self.handled.release()

    def app_token_refused(self, code: str) -> None:
        self.words.append(code)
        self.handled.release()


@pytest_asyncio.fixture
async def queue(database_address: str) -> AsyncIterator[StoredDeliveries]:
    """The queue, for a replica and for the leader."""
    database = Database(database_address, clock=SystemClock(), fence=_Leads())
    await database.open()
    stored = StoredDeliveries(database, origin="first")
    try:
        yield stored
    finally:
        await stored.close()
        await database.close()


@asynccontextmanager
async def leading(queue: StoredDeliveries, handler: _Handler) -> AsyncIterator[DeliveredListeners]:
    """A leader until the end of the block."""

    async def is_connected() -> bool:
        return True

    listeners = DeliveredListeners(queue, own_user=OWN, is_connected=is_connected)
    await listeners.connect(Handlers(payloads=handler, catch_ups=handler, access=handler))  # type: ignore[arg-type]
    await handler.handled.acquire()  # it catches up at first
    try:
        yield listeners
    finally:
        await listeners.close()


def _event(number: int, user: str = "U0ANA") -> dict[str, Any]:
    return {"type": "event_callback", "event_id": f"Ev{number}", "event": {"type": "message", "user": user}}


async def _put(payloads: RelayedPayloads, body: dict[str, Any]) -> None:
    await payloads.begin(body)[1]


async def test_the_leader_handles_what_came_before_and_while_it_leads_in_order(queue: StoredDeliveries) -> None:
    payloads, handler = RelayedPayloads(queue), _Handler()
    for number in range(5):
        await _put(payloads, _event(number))
    async with leading(queue, handler):
        for number in range(5, 10):
            await _put(payloads, _event(number))
        for _ in range(10):
            await handler.handled.acquire()
    assert [body["event_id"] for body in handler.bodies] == [f"Ev{number}" for number in range(10)]


async def test_a_delivery_that_two_replicas_got_is_handled_once(queue: StoredDeliveries) -> None:
    first, second, handler = RelayedPayloads(queue), RelayedPayloads(queue), _Handler()
    async with leading(queue, handler):
        await asyncio.gather(_put(first, _event(1)), _put(second, _event(1)))
        await _put(first, _event(2))
        for _ in range(2):
            await handler.handled.acquire()
    assert [body["event_id"] for body in handler.bodies] == ["Ev1", "Ev2"]


async def test_what_the_bot_itself_caused_reaches_no_handler(queue: StoredDeliveries) -> None:
    payloads, handler = RelayedPayloads(queue), _Handler()
    async with leading(queue, handler):
        await _put(payloads, _event(1, user=OWN))
        await _put(payloads, _event(2))
        await handler.handled.acquire()
    assert [body["event_id"] for body in handler.bodies] == ["Ev2"]


async def test_a_press_keeps_its_addresses_and_loses_the_apps_token(queue: StoredDeliveries) -> None:
    payloads, handler = RelayedPayloads(queue), _Handler()
    press = {"type": "block_actions", "token": "t", "response_url": "https://hooks/1", "trigger_id": "7"}
    async with leading(queue, handler):
        await payloads.handle(await payloads.record(press))
        await handler.handled.acquire()
    assert handler.bodies == [{"type": "block_actions", "response_url": "https://hooks/1", "trigger_id": "7"}]


async def test_a_commands_ack_has_the_leaders_answer(queue: StoredDeliveries) -> None:
    payloads, handler = RelayedPayloads(queue), _Handler(answer={"text": "3 open"})
    async with leading(queue, handler):
        assert await payloads.handle(await payloads.record({"command": "/triage"})) == {"text": "3 open"}


async def test_a_dialogs_ack_has_the_leaders_errors(queue: StoredDeliveries) -> None:
    payloads, handler = RelayedPayloads(queue), _Handler(answer={"answer": "no such line"})
    async with leading(queue, handler):
        assert await payloads.handle(await payloads.record(DIALOG)) == {"answer": "no such line"}


async def test_without_a_leader_a_person_is_asked_to_try_again_and_nothing_is_done_later(
    queue: StoredDeliveries,
) -> None:
    payloads, handler = RelayedPayloads(queue, taken_within=1, answered_within=20), _Handler()
    assert await payloads.handle(await payloads.record({"command": "/triage"})) == {"text": NO_LEADER}
    assert await payloads.handle(await payloads.record(DIALOG)) == {"answer": NO_LEADER}
    async with leading(queue, handler):
        await _put(payloads, _event(1))
        await handler.handled.acquire()
    assert [body.get("event_id") for body in handler.bodies] == ["Ev1"]


async def test_a_leader_that_took_a_command_and_is_silent_is_not_called_undone(queue: StoredDeliveries) -> None:
    payloads, handler = RelayedPayloads(queue, taken_within=0.5, answered_within=0.6), _Handler(is_silent=True)
    async with leading(queue, handler):
        assert await payloads.handle(await payloads.record({"command": "/triage"})) == {"text": NO_ANSWER}


@asynccontextmanager
async def locked(address: str) -> AsyncIterator[None]:
    """Nobody can write to the queue until the end of the block."""
    async with await psycopg.AsyncConnection.connect(address) as connection:
        await connection.execute("lock table triage.deliveries in share mode")
        yield


async def test_what_was_not_sent_to_the_database_in_time_is_refused_and_never_stored(database_address: str) -> None:
    """In the dialog, which stays open with all that was typed."""
    database = Database(database_address, clock=SystemClock(), fence=_Leads(), size=1)
    await database.open()
    queue = StoredDeliveries(database, origin="first")
    payloads = RelayedPayloads(queue, taken_within=0.05)
    async with database.transaction():  # it has the only connection
        assert await payloads.handle(await payloads.record(DIALOG)) == {"answer": NO_DATABASE}
    await queue.put(Delivery(kind="command", event_id="later", body={}))
    assert [each.event_id for each in await queue.list_waiting(9, besides=())] == ["later"]
    await database.close()


async def test_a_person_is_not_told_of_nothing_done_where_the_database_may_still_store_it(
    queue: StoredDeliveries, database_address: str
) -> None:
    payloads = RelayedPayloads(queue, taken_within=1, answered_within=1)
    await queue.put(Delivery(kind="event", event_id="Ev1", body={}))  # so that its connection is there
    async with locked(database_address):
        assert await payloads.handle(await payloads.record(DIALOG)) == {"answer": NO_ANSWER}


async def test_a_delivery_that_cannot_be_taken_back_in_time_has_its_answer_and_is_taken_back_later(
    queue: StoredDeliveries, database_address: str
) -> None:
    payloads = RelayedPayloads(queue, taken_within=0.0, answered_within=0.05)
    payloads_that_store = RelayedPayloads(queue, taken_within=20)
    received = await payloads_that_store.record(DIALOG)
    async with locked(database_address):
        assert await payloads.handle(received) == {"answer": NO_ANSWER}
    while await queue.list_waiting(9, besides=()):
        pass


async def test_the_leader_is_told_of_reconnections_and_of_a_refused_app_token(queue: StoredDeliveries) -> None:
    tasks, handler = BackgroundTasks(StopRequest()), _Handler()
    signals = RelayedSignals(queue, tasks)
    async with leading(queue, handler):
        signals.app_token_refused("token_revoked")
        await handler.handled.acquire()
        signals.schedule_all()
        await handler.handled.acquire()
    assert handler.words == ["reconnected", "token_revoked", "reconnected"]


async def test_what_was_not_taken_waits_for_the_next_leader(queue: StoredDeliveries) -> None:
    payloads, first, second = RelayedPayloads(queue), _Handler(is_silent=True), _Handler()
    async with leading(queue, first):
        pass
    await _put(payloads, _event(1))
    async with leading(queue, second):
        await second.handled.acquire()
    assert [body["event_id"] for body in second.bodies] == ["Ev1"]
