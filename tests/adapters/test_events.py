"""Events over the socket: on disk, then acknowledged, then acted on in the order in which they came."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.listeners import events as module
from bot.adapters.listeners.events import SocketEvents
from bot.errors import RetryLater
from bot.models.received_payload import ReceivedPayload
from bot.runtime.acks import PendingAcks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable


class Disk:
    """A dispatcher over a journal that syncs when it is told to, and all that came of it, in order."""

    def __init__(self) -> None:
        self.came: list[asyncio.Future[None]] = []
        self.said: list[str] = []

    def begin(self, body: dict[str, Any]) -> tuple[ReceivedPayload, Awaitable[None]]:
        """Wait for the sync."""
        self.came.append(asyncio.get_running_loop().create_future())
        return ReceivedPayload(kind="event", payload=None, event_id=body["event_id"]), self.came[-1]

    async def record(self, body: dict[str, Any]) -> ReceivedPayload:
        """No event is recorded by itself."""
        raise AssertionError(body)

    async def handle(self, received: ReceivedPayload) -> dict[str, Any]:
        """Act, for one turn of the loop; what is called broken breaks."""
        self.said.append(f"began {received.event_id}")
        if received.event_id == "broken":
            raise ValueError("broken")
        await asyncio.sleep(0)
        return {}

    async def send_message(self, message: str) -> None:
        """Keep an ack."""
        self.said.append(f"ack {json.loads(message)['envelope_id']}")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[SocketEvents]:
        """Events that this disk keeps."""
        way = SocketEvents(payloads=self, socket=self, acks=PendingAcks(), own_user="U0TRIAGE")
        way.start()
        yield way
        await way.stop()


async def turns(count: int = 20) -> None:
    """Some turns of the loop."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_an_event_is_on_disk_before_its_ack_and_acknowledged_before_the_work_on_it() -> None:
    """All that came by then have their acks first; what the bot did itself is neither written nor worked on."""
    disk = Disk()
    async with disk.running() as way:
        for name in ("a", "broken", "c"):
            way.accept(name, {"event_id": name}, 10)
        way.accept("d", {"event": {"type": "message", "user": "U0TRIAGE"}}, 10)
        await turns()
        assert disk.said == []
        for written in disk.came:
            written.set_result(None)
        await turns()
    acks = [f"ack {name}" for name in ("a", "broken", "c", "d")]
    assert disk.said == [*acks, "began a", "began broken", "began c"]


async def test_what_could_not_be_written_is_neither_acknowledged_nor_worked_on() -> None:
    """Slack sends it again; what comes after it goes its way."""
    disk = Disk()
    async with disk.running() as way:
        way.accept("a", {"event_id": "a"}, 10)
        way.accept("strange", {}, 10)
        way.accept("b", {"event_id": "b"}, 10)
        disk.came[0].set_exception(RetryLater("the disk is full"))
        disk.came[-1].set_result(None)
        await turns()
    assert disk.said == ["ack b", "began b"]


@pytest.mark.parametrize(("most", "text"), [(3, 10**6), (100, 25)])
async def test_more_than_can_be_held_is_left_for_slack_to_send_again(
    most: int, text: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither written nor acknowledged, and taken again when there is room."""
    monkeypatch.setattr(module, "MAX_WAITING", most)
    monkeypatch.setattr(module, "MOST_TEXT", text)
    disk = Disk()
    async with disk.running() as way:
        for number in range(9):
            way.accept(str(number), {"event_id": str(number)}, 10)
            for written in disk.came:
                if not written.done():
                    written.set_result(None)
        assert len(disk.came) == 3
        await turns(40)
        way.accept("later", {"event_id": "later"}, 10)
        disk.came[-1].set_result(None)
        await turns()
    assert disk.said[-2:] == ["ack later", "began later"]
