"""Socket events: recorded and acknowledged in bursts, handled between them.

Bolt's dispatch and the SDK's queue are bypassed, since they would take most of the cost in a busy channel. An event is
on disk before its ack; its handling has lower priority and keeps the order of arrival. Unhandled events at the end of a
process are found in the journal at the next start.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.models.received_payload import ReceivedPayload
    from bot.ports.payload_handlers import PayloadsPort
    from bot.ports.tasks import TaskRootsPort
    from bot.runtime.acks import PendingAcks

    Body = dict[str, Any]
    _Unacknowledged = tuple[str, int, float, ReceivedPayload | None, Awaitable[None] | None]

log = logging.getLogger(__name__)

SLICE = 12
"""Events started in one turn of the loop; in a burst there are some thirty turns a second."""
MANY = 4_000
"""Waiting events from which a turn starts more of them: acks are then later, and with them Slack's deliveries."""
MAX_WAITING = 8_000
"""Waiting and running events from which new ones are not accepted; Slack sends them again."""
MOST_TEXT = 16_000_000
"""The same limit in characters of their frames."""
WORKED_ON = 1_000
"""Events handled concurrently."""


def is_own(body: Body, own_user: str, tasks: TaskRootsPort | None = None) -> bool:
    """Return whether the bot itself caused this event: its own messages come back to it.

    Extends Bolt's rule to messages that the bot changed or deleted: its cards in direct messages change all the time.
    It never deletes the first message of a created task; an administrator may.
    """
    event = body.get("event")
    if not isinstance(event, dict):
        return False
    is_deletion = event.get("subtype") == "message_deleted"
    if is_deletion and tasks and tasks.has_root(str(event.get("channel")), str(event.get("deleted_ts"))):
        return False
    inner = [event.get(key) for key in ("message", "previous_message")]
    authors = [each.get("user") for each in (event, *inner) if isinstance(each, dict) and each.get("user")]
    return authors[:1] == [own_user] and event.get("type") not in ("member_joined_channel", "member_left_channel")


class Socket(Protocol):
    """Socket that acks go to: the client of Slack's SDK."""

    async def send_message(self, message: str) -> None:
        """Put a frame on the socket."""


class SocketEvents:
    """Events from their frames to their handling by `payloads`, with their acks on `socket`."""

    def __init__(
        self,
        *,
        payloads: PayloadsPort,
        socket: Socket,
        acks: PendingAcks,
        own_user: str,
        tasks: TaskRootsPort | None = None,
    ) -> None:
        self._payloads, self._socket, self._acks, self._own_user = payloads, socket, acks, own_user
        self._tasks = tasks
        self._written: asyncio.Queue[_Unacknowledged] = asyncio.Queue()
        self._waiting: deque[tuple[int, ReceivedPayload]] = deque()
        self._text = 0
        self._is_full = False
        self._some, self._room = asyncio.Event(), asyncio.Event()
        self._under_way: set[asyncio.Task[None]] = set()
        self._loops: tuple[asyncio.Task[None], ...] = ()

    def start(self) -> None:
        """Start acknowledging and handling."""
        self._loops = (
            asyncio.create_task(self._acknowledge(), name="acks"),
            asyncio.create_task(self._act(), name="events"),
        )

    async def stop(self) -> None:
        """Stop: events that were acknowledged and not completely handled are in the journal."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        tasks = [*self._under_way]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def accept(self, envelope: str, body: Body, size: int) -> None:
        """Accept an event: `size` is that of its frame. Nothing is awaited here; the ack follows the sync."""
        if self._refuses():
            return
        began = time.monotonic()
        try:
            with passing("socket.heard", "events_api"):
                received, synced = (
                    (None, None) if is_own(body, self._own_user, self._tasks) else self._payloads.begin(body)
                )
        except Exception:
            log.exception("an event was not recorded, and is not acknowledged")
            return
        self._acks.start()
        self._text += size
        self._written.put_nowait((envelope, size, began, received, synced))

    def _refuses(self) -> bool:
        """Return whether too many events are waiting."""
        was_full, self._is_full = self._is_full, self.waiting >= MAX_WAITING or self._text >= MOST_TEXT
        if self._is_full and not was_full:
            log.warning("%d events are waiting: new ones are refused until Slack sends them again", self.waiting)
        return self._is_full

    @property
    def waiting(self) -> int:
        """Return the number of events that are not handled."""
        return self._written.qsize() + len(self._waiting) + len(self._under_way)

    async def _acknowledge(self) -> None:
        """Acknowledge in the order of the journal: after a sync many are acknowledged together."""
        while True:
            envelope, size, began, received, synced = await self._written.get()
            try:
                with passing("socket.frame", "events_api"):
                    if synced is not None:
                        await synced
                with passing("socket.ack", "events_api"):
                    await self._socket.send_message(json.dumps({"envelope_id": envelope}))
                self._acks.measure(began)
            except Exception:
                log.exception("an event was not acknowledged")
                received = None
            finally:
                self._acks.finish()
            if received is None:
                self._text -= size
                continue
            self._waiting.append((size, received))
            self._some.set()

    async def _act(self) -> None:
        """Start handling a few events at a time, between the acks."""
        while True:
            await self._some.wait()
            await self._acks.wait_briefly()
            for _ in range(max(SLICE, len(self._waiting) // 32 if len(self._waiting) > MANY else 0)):
                if not self._waiting or len(self._under_way) >= WORKED_ON:
                    break
                size, received = self._waiting.popleft()
                task = asyncio.create_task(self._handle_logged(size, received), name="event")
                self._under_way.add(task)
                task.add_done_callback(self._on_done)
            if not self._waiting:
                self._some.clear()
            await asyncio.sleep(0)
            if len(self._under_way) >= WORKED_ON:
                self._room.clear()
                await self._room.wait()

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._room.set()

    async def _handle_logged(self, size: int, received: ReceivedPayload) -> None:
        try:
            await self._payloads.handle(received)
        except Exception:
            log.exception("an event was not handled")
        finally:
            self._text -= size
