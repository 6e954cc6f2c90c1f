"""Socket Mode as the real clients speak it: connections, envelopes, acknowledgements, retries.

An event is sent until it is acknowledged: one that finds no connection waits for one, one whose connection died or
whose acknowledgement is late goes out again. What a person does (interactive, slash_commands) is only worth the three
seconds of its acknowledgement, as in Slack: after them the person is told that the app did not answer.
"""

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSMsgType, web

from sandbox import seed
from sandbox.models import Json

MOST_CONNECTIONS = 10
CLOSING = 1.0
"""Seconds for the app to answer when its connection is closed."""
TOO_LATE = 2 * 60 * 60
"""Seconds after which an event that found no connection is no longer delivered."""

Kind = Literal["events_api", "interactive", "slash_commands"]


class Unacknowledged(Exception):
    """The app did not acknowledge in time: the person sees that it did not answer."""


@dataclass(slots=True, eq=False)
class Connection:
    """One websocket; frames leave it one after the other."""

    socket: web.WebSocketResponse
    outbox: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def write(self) -> None:
        while True:
            frame = await self.outbox.get()
            with suppress(ConnectionError):  # what a dying connection swallows is sent again by another
                await self.socket.send_str(frame)


@dataclass(slots=True, eq=False)
class Envelope:
    """One payload on its way to the app. Without connection and timer it waits for a connection."""

    kind: Kind
    payload: Json
    made_at: float
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    attempt: int = 0
    reason: str = ""
    answer: asyncio.Future[Json] | None = None
    connection: Connection | None = None
    timer: asyncio.TimerHandle | None = None

    def frame(self) -> str:
        shape: Json = {
            "envelope_id": self.id,
            "type": self.kind,
            "payload": self.payload,
            "accepts_response_payload": self.kind != "events_api",
        }
        if self.kind == "events_api":
            shape |= {"retry_attempt": self.attempt, "retry_reason": self.reason}
        return json.dumps(shape)

    def stop_timer(self) -> None:
        if self.timer:
            self.timer.cancel()
        self.timer = None


class SocketMode:
    """All connections of the app, and every envelope that is not settled yet."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        ack_timeout: float,
        retry_after: Sequence[float],
        settled: Callable[[Envelope], None],
    ) -> None:
        self._clock = clock
        self._ack_timeout = ack_timeout
        self._retry_after = retry_after
        self._settled = settled
        self._tickets: set[str] = set()
        self._connections: list[Connection] = []
        self._open: dict[str, Envelope] = {}
        self._turn = 0

    def ticket(self) -> str:
        """A ticket that opens one connection."""
        ticket = secrets.token_urlsafe(16)
        self._tickets.add(ticket)
        return ticket

    def publish(self, envelope: Envelope) -> None:
        """Send an event; it stays until it is acknowledged or given up."""
        self._open[envelope.id] = envelope
        self._send(envelope)

    async def ask(self, kind: Kind, payload: Json) -> Json:
        """Send what a person did; returns the payload of the acknowledgement, {} when it has none."""
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        envelope = Envelope(kind, payload, self._clock(), answer=answer)
        self._open[envelope.id] = envelope
        self._send(envelope)
        try:
            return await asyncio.wait_for(answer, self._ack_timeout)
        except TimeoutError:
            raise Unacknowledged from None
        finally:
            self._settle(envelope)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection of the app, for as long as it lasts."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden(text="this ticket was used or never given")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(timeout=CLOSING)
        await socket.prepare(request)
        if len(self._connections) >= MOST_CONNECTIONS:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await socket.close()
            return socket
        connection = Connection(socket)
        connection.outbox.put_nowait(json.dumps(self._hello(request.host)))
        writer = asyncio.create_task(connection.write())
        self._connections.append(connection)
        self._flush()
        try:
            await self._read(socket)
        finally:
            self._lost([connection])
            writer.cancel()
        return socket

    async def drop(self) -> None:
        """Close every connection, as when Slack's side goes away."""
        connections = list(self._connections)
        self._lost(connections)
        await asyncio.gather(*(connection.socket.close() for connection in connections))

    async def close(self) -> None:
        await self.drop()
        for envelope in self._open.values():
            envelope.stop_timer()

    def _hello(self, host: str) -> Json:
        return {
            "type": "hello",
            "connection_info": {"app_id": seed.APP_ID},
            "num_connections": len(self._connections) + 1,
            "debug_info": {"host": host, "build_number": 1, "approximate_connection_time": 3600},
        }

    async def _read(self, socket: web.WebSocketResponse) -> None:
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            with suppress(ValueError):  # Slack ignores what is no acknowledgement
                said = json.loads(frame.data)
                if isinstance(said, dict):
                    self._acknowledged(said)

    def _acknowledged(self, said: Json) -> None:
        envelope = self._open.get(str(said.get("envelope_id", "")))
        if envelope is None:
            return
        if envelope.answer and not envelope.answer.done():
            payload = said.get("payload")
            envelope.answer.set_result(payload if isinstance(payload, dict) else {})
        self._settle(envelope)

    def _send(self, envelope: Envelope) -> None:
        envelope.stop_timer()
        envelope.connection = None
        if not self._connections:
            return
        self._turn = (self._turn + 1) % len(self._connections)
        envelope.connection = self._connections[self._turn]
        envelope.connection.outbox.put_nowait(envelope.frame())
        if envelope.kind == "events_api":
            loop = asyncio.get_running_loop()
            envelope.timer = loop.call_later(self._ack_timeout, self._overdue, envelope)

    def _overdue(self, envelope: Envelope) -> None:
        if envelope.attempt == len(self._retry_after):
            self._settle(envelope)
            return
        envelope.connection = None
        envelope.reason = "timeout"
        delay = self._retry_after[envelope.attempt]
        envelope.attempt += 1
        envelope.timer = asyncio.get_running_loop().call_later(delay, self._send, envelope)

    def _settle(self, envelope: Envelope) -> None:
        envelope.stop_timer()
        if self._open.pop(envelope.id, None):
            self._settled(envelope)

    def _flush(self) -> None:
        """A connection is there: send what waits for one, in the order in which it happened."""
        for envelope in list(self._open.values()):
            if envelope.connection or envelope.timer:
                continue
            if self._clock() - envelope.made_at > TOO_LATE:
                self._settle(envelope)
            else:
                self._send(envelope)

    def _lost(self, connections: list[Connection]) -> None:
        """These connections are gone: what they carried goes to another one, or waits for it."""
        self._connections = [each for each in self._connections if each not in connections]
        for envelope in list(self._open.values()):
            if envelope.connection in connections:
                envelope.attempt = min(envelope.attempt + 1, len(self._retry_after))
                envelope.reason = "connection_failed"
                self._send(envelope)
