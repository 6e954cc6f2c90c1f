"""Relay: what Slack delivers to a replica, stored in the queue before its ack, for the leader to act on.

Only a dialog and a command wait for the leader, since their ack has its answer. Where no leader or no database answers
in time, the delivery is taken back, and the person is asked to try again, in a dialog that stays open: nothing is done
that they were told was not.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater
from bot.models.delivery import ANSWERED, Delivery, find_kind
from bot.models.received_payload import ReceivedPayload

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.errors import Refused
    from bot.models.delivery import DeliveryKind
    from bot.models.received_payload import Kind
    from bot.ports.deliveries import DeliveryQueue
    from bot.runtime.background_tasks import BackgroundTasks

log = logging.getLogger(__name__)

RECONNECTED, TOKEN_REFUSED = "reconnected", "app token refused: "
"""Words to the leader: a socket was opened, and how Slack refused another."""
TAKEN_WITHIN, ANSWERED_WITHIN = 2.2, 2.7
"""Seconds from a payload's arrival in which a leader must take it, and answer it; Slack waits for three."""
NO_LEADER = "Triage is changing over to another machine: nothing was done. Try again in a few seconds."
NO_DATABASE = "Triage's database does not answer: nothing was done. Try again in a few seconds."
NO_ANSWER = "Triage has not answered in time. Look whether it was done before you try again."
_KINDS: dict[DeliveryKind, Kind] = {"event": "event", "press": "press", "dialog": "dialog", "command": "command"}
_UNNEEDED = frozenset({"token"})
"""Top-level keys that nobody reads and that would let a reader of the database act as Slack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relayed(ReceivedPayload):
    """A dialog or a command that is in the queue, or has its `refusal`."""

    delivery_id: int
    arrived_at: float
    """Time of the event loop."""
    refusal: str
    dialog_block: str
    """Block of a dialog's first input, which shows an error."""


class RelayedPayloads:
    """The port `PayloadsPort` of a replica: it stores, and the leader handles."""

    def __init__(
        self, queue: DeliveryQueue, *, taken_within: float = TAKEN_WITHIN, answered_within: float = ANSWERED_WITHIN
    ) -> None:
        self._queue, self._taken_within, self._answered_within = queue, taken_within, answered_within
        self._late: set[asyncio.Task[dict[str, Any]]] = set()

    def begin(self, body: dict[str, Any]) -> tuple[ReceivedPayload, Awaitable[None]]:
        """Start to store an event; it is committed once the result was awaited."""
        delivery = _read_delivery(body)
        received = ReceivedPayload(kind=_KINDS[delivery.kind], payload=None, event_id=delivery.event_id)
        return received, _without_id(self._queue.put(delivery))

    async def record(self, body: dict[str, Any]) -> ReceivedPayload:
        """Store a payload; on return it is committed, or it is a dialog or a command that will be refused."""
        delivery = _read_delivery(body)
        if delivery.kind not in ANSWERED:
            received, stored = self.begin(body)
            await stored
            return received
        arrived_at = asyncio.get_running_loop().time()
        delivery_id, refusal = await self._store_in_time(delivery)
        return _Relayed(
            kind=_KINDS[delivery.kind],
            payload=None,
            event_id=delivery.event_id,
            delivery_id=delivery_id,
            arrived_at=arrived_at,
            refusal=refusal,
            dialog_block=_find_first_input(body),
        )

    async def _store_in_time(self, delivery: Delivery) -> tuple[int, str]:
        """Return the id in the queue, or 0 and the refusal."""
        stored = self._queue.put(delivery)
        await asyncio.wait([stored], timeout=self._taken_within)
        if not stored.done():
            stored.add_done_callback(_read_failure)
            return 0, NO_DATABASE if self._queue.give_up(stored) else NO_ANSWER
        try:
            return stored.result(), ""
        except RetryLater as problem:
            log.warning("a %s was not stored: %s", delivery.kind, problem)
            return 0, NO_ANSWER

    async def handle(self, received: ReceivedPayload) -> dict[str, Any]:
        """Return the leader's answer to a dialog or a command; nothing for other payloads."""
        if not isinstance(received, _Relayed):
            return {}
        if received.refusal:
            return _refuse(received, received.refusal)
        answering = asyncio.create_task(self._ask_leader(received), name="answer of a leader")
        await asyncio.wait([answering], timeout=self._left(received, self._answered_within))
        if not answering.done():  # it is not cancelled, since it may still take the delivery back
            self._late.add(answering)
            answering.add_done_callback(self._late.discard)
            answering.add_done_callback(_read_failure)
            return _refuse(received, NO_ANSWER)
        try:
            return answering.result()
        except RetryLater as problem:
            log.warning("a %s was not answered: %s", received.kind, problem)
            return _refuse(received, NO_ANSWER)

    async def _ask_leader(self, received: _Relayed) -> dict[str, Any]:
        content = await self._queue.wait_for_answer(received.delivery_id, self._left(received, self._taken_within))
        if content is None and await self._queue.withdraw(received.delivery_id):
            return _refuse(received, NO_LEADER)
        if content is None:
            left = self._left(received, self._answered_within)
            content = await self._queue.wait_for_answer(received.delivery_id, left)
        return _refuse(received, NO_ANSWER) if content is None else content

    def _left(self, received: _Relayed, seconds: float) -> float:
        return max(0.0, received.arrived_at + seconds - asyncio.get_running_loop().time())


class RelayedSignals:
    """What a replica tells the leader about its socket (`ReconnectPort`, and the app token's part of `AccessCheck`)."""

    def __init__(self, queue: DeliveryQueue, tasks: BackgroundTasks) -> None:
        self._queue, self._tasks = queue, tasks

    def schedule_all(self) -> None:
        """Tell the leader that a socket was opened: messages may have been missed before."""
        self._tasks.spawn(self._queue.signal(RECONNECTED), "word of a new socket")

    def app_token_refused(self, code: str) -> None:
        """Tell the leader that Slack opens no more sockets for the app token."""
        log.error("SLACK_APP_TOKEN: Slack does not accept it any more (%s)", code)
        self._tasks.spawn(self._queue.signal(TOKEN_REFUSED + code), "word of the app token")

    def note_refusal(self, channel: str, problem: Refused) -> None:
        """Ignore a refused call: a replica that does not lead makes none but its first."""

    def unreachable(self, user: str, code: str) -> None:
        """Ignore a refused card: the leader posts them."""

    async def look(self, channel: str) -> None:
        """Check nothing: the leader does."""


class AnyRoot:
    """The port `TaskRootsPort` of a replica, which has no threads: the leader drops what the bot itself caused."""

    def has_root(self, channel: str, ts: str) -> bool:
        """Return true: each deletion of the bot's messages is passed to the leader."""
        return True


def _refuse(received: _Relayed, text: str) -> dict[str, Any]:
    return {received.dialog_block: text} if received.kind == "dialog" else {"text": text}


def _read_delivery(body: dict[str, Any]) -> Delivery:
    own = body.get("event_id")
    kept = {key: value for key, value in body.items() if key not in _UNNEEDED}
    return Delivery(kind=find_kind(body), event_id=own if isinstance(own, str) else None, body=kept)


def _find_first_input(body: dict[str, Any]) -> str:
    view = body.get("view")
    blocks = view.get("blocks") if isinstance(view, dict) else None
    inputs = [each for each in blocks or () if isinstance(each, dict) and each.get("type") == "input"]
    return str(inputs[0].get("block_id", "")) if inputs else ""


def _read_failure(late: asyncio.Future[Any]) -> None:
    """Log why something came to nothing after its person was told that it may."""
    if not late.cancelled() and (problem := late.exception()):
        log.warning("a late answer failed: %s", problem)


async def _without_id(stored: Awaitable[int]) -> None:
    await stored
