"""Delivered payloads: what all replicas have stored, given to the leader's handlers as if Slack came to it directly.

A delivery is taken once its record is in the leader's journal: from then on recovery knows it (`intake/dispatcher`).
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING

from bot.adapters.listeners.events import SocketEvents, is_own
from bot.adapters.listeners.relayed import RECONNECTED, TOKEN_REFUSED
from bot.errors import Fenced, RetryLater
from bot.models.delivery import ANSWERED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.adapters.listeners import Handlers
    from bot.models.delivery import Delivery
    from bot.ports.deliveries import DeliveryQueue

log = logging.getLogger(__name__)

AT_ONCE = 500
"""Deliveries read at once."""
TAKEN_UP_AGAIN = 20.0
"""Seconds after which a delivery that could not be recorded is given to the handlers again."""
REMOVED_EVERY = 3600.0
"""Seconds between two removals of what was taken long ago."""


class DeliveredListeners:
    """The port `Listeners` of the leader, on the queue of all replicas.

    `is_connected` tells whether Slack reaches this replica; `own_user` is the bot.
    """

    def __init__(self, queue: DeliveryQueue, *, own_user: str, is_connected: Callable[[], Awaitable[bool]]) -> None:
        self._queue, self._own_user, self._is_connected = queue, own_user, is_connected
        self._in_hand: dict[int, float] = {}
        self._recorded: set[int] = set()
        self._some_recorded, self._news = asyncio.Event(), asyncio.Event()
        self._answering: set[asyncio.Task[None]] = set()
        self._loops: tuple[asyncio.Task[None], ...] = ()
        self._events: SocketEvents | None = None

    async def connect(self, handlers: Handlers) -> None:
        """Give everything that is delivered to these handlers from now on."""
        self._events = events = SocketEvents(
            payloads=handlers.payloads, socket=self, acks=handlers.acks, own_user=self._own_user, tasks=handlers.tasks
        )
        events.start()
        self._loops = tuple(
            asyncio.create_task(loop, name=name)
            for loop, name in (
                (self._listen(handlers), "words of replicas"),
                (self._read(handlers, events), "deliveries"),
                (self._take(), "taken deliveries"),
                (self._remove(), "old deliveries"),
            )
        )
        handlers.catch_ups.schedule_all()

    async def connected(self) -> bool:
        """Return whether Slack reaches this replica at this moment."""
        return await self._is_connected()

    @property
    def waiting(self) -> int:
        """Return the number of deliveries that are not handled."""
        return (self._events.waiting if self._events else 0) + len(self._answering)

    async def close(self) -> None:
        """Take nothing more; what is not taken is the next leader's."""
        ending = [*self._loops, *self._answering]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        if self._events:
            await self._events.stop()

    async def send_message(self, message: str) -> None:
        """Note an event as recorded, where a socket would get its ack."""
        self._note_recorded(int(json.loads(message)["envelope_id"]))

    def _note_recorded(self, delivery_id: int) -> None:
        self._recorded.add(delivery_id)
        self._some_recorded.set()

    async def _listen(self, handlers: Handlers) -> None:
        async for word in self._queue.signals():
            if word == RECONNECTED:
                handlers.catch_ups.schedule_all()
            elif word.startswith(TOKEN_REFUSED):
                handlers.access.app_token_refused(word.removeprefix(TOKEN_REFUSED))
            else:
                self._news.set()

    async def _read(self, handlers: Handlers, events: SocketEvents) -> None:
        """Hand over what waits, in the order in which it was stored."""
        now = asyncio.get_running_loop().time
        while True:
            await self._news.wait()
            self._news.clear()
            until = now() - TAKEN_UP_AGAIN
            self._in_hand = {each: since for each, since in self._in_hand.items() if since > until}
            try:
                found = await self._queue.list_waiting(AT_ONCE, besides=self._in_hand)
            except RetryLater as problem:
                log.warning("deliveries cannot be read: %s", problem)
                await asyncio.sleep(problem.after)
                self._news.set()
                continue
            for delivery in found:
                self._in_hand[delivery.delivery_id] = now()
                if delivery.kind == "event":
                    events.accept(str(delivery.delivery_id), delivery.body, 1_000)
                else:
                    self._begin(handlers, delivery)
            if len(found) == AT_ONCE:
                self._news.set()
                await asyncio.sleep(0.01)

    def _begin(self, handlers: Handlers, delivery: Delivery) -> None:
        task = asyncio.create_task(self._handle(handlers, delivery), name=delivery.kind)
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _handle(self, handlers: Handlers, delivery: Delivery) -> None:
        """Record a press, a dialog or a command, then handle it, and answer what waits for an answer."""
        try:
            if is_own(delivery.body, self._own_user, handlers.tasks):
                self._note_recorded(delivery.delivery_id)
                return
            if delivery.kind in ANSWERED and not await self._queue.take([delivery.delivery_id]):
                return  # its replica took it back, and has told its person
            with handlers.acks.track():
                received = await handlers.payloads.record(delivery.body)
            self._note_recorded(delivery.delivery_id)
            content = await handlers.payloads.handle(received)
            if delivery.kind in ANSWERED:
                await self._queue.answer(delivery.delivery_id, content)
        except Fenced:
            raise
        except Exception:
            log.exception("a %s was not handled", delivery.kind)

    async def _take(self) -> None:
        """Mark in the queue what is recorded, together."""
        while True:
            await self._some_recorded.wait()
            self._some_recorded.clear()
            taken, self._recorded = self._recorded, set()
            try:
                await self._queue.take(taken)
            except RetryLater as problem:
                log.warning("deliveries cannot be marked as taken: %s", problem)
                self._recorded |= taken
                await asyncio.sleep(problem.after)
                self._some_recorded.set()
                continue
            for each in taken:
                self._in_hand.pop(each, None)

    async def _remove(self) -> None:
        while True:
            try:
                await self._queue.remove_taken()
            except RetryLater as problem:
                log.warning("old deliveries cannot be removed: %s", problem)
            await asyncio.sleep(REMOVED_EVERY)
