"""Socket Mode for the real clients: connections, envelopes, acknowledgements, retries.

An event without a connection waits for one; it is sent again if its connection breaks or its acknowledgement is late.
Up to ten connections share the payloads; each payload goes to one of them.
"""

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from sandbox import seed
from sandbox.delivery import TOO_LATE, Envelope, Kind, Unacknowledged
from sandbox.models import Json
from sandbox.timing import Time, Timer

MOST_CONNECTIONS = 10
CLOSING = 1.0
"""Timeout in seconds for closing a connection."""
PING_EVERY = 30.0
"""Seconds between two pings to the app; a connection without an answer is closed."""
CONNECTION_LIFE = 3600
"""Seconds after which Slack asks for a new connection; a tenth with `debug_reconnects`."""
WARNED_BEFORE = 10
"""Seconds between the warning and the end of a connection."""


@dataclass(slots=True, eq=False)
class Connection:
    """Websocket connection; its outbox is written in order, and None closes it."""

    socket: web.WebSocketResponse
    host: str
    outbox: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    timer: Timer | None = None

    async def write(self) -> None:
        while (frame := await self.outbox.get()) is not None:
            with suppress(ConnectionError):  # a frame lost in a breaking connection is sent again over another
                await self.socket.send_str(frame)
        await self.socket.close()

    def send(self, frame: Json) -> None:
        self.outbox.put_nowait(json.dumps(frame))

    def end(self, reason: str) -> None:
        """Send Slack's disconnect message with the reason, and close."""
        self.say_goodbye(reason)
        self.outbox.put_nowait(None)

    def say_goodbye(self, reason: str) -> None:
        self.send({"type": "disconnect", "reason": reason, "debug_info": {"host": self.host}})


@dataclass(slots=True, eq=False)
class Transit:
    """Envelope that is not acknowledged yet. Without connection and timer it waits for a connection."""

    envelope: Envelope
    answer: asyncio.Future[Json] | None = None
    connection: Connection | None = None
    timer: Timer | None = None

    def frame(self) -> str:
        envelope = self.envelope
        shape: Json = {
            "envelope_id": envelope.id,
            "type": envelope.kind,
            "payload": envelope.payload,
            "accepts_response_payload": envelope.kind != "events_api",
        }
        if envelope.kind == "events_api":
            shape |= {"retry_attempt": envelope.attempt, "retry_reason": envelope.reason}
        return json.dumps(shape)

    def stop_timer(self) -> None:
        if self.timer:
            self.timer.cancel()
        self.timer = None


class SocketMode:
    """Connections of the app, and all envelopes that are not acknowledged yet."""

    def __init__(
        self,
        *,
        time: Time,
        ack_timeout: float,
        retry_after: Sequence[float],
        on_settled: Callable[[Envelope], None],
        changed: Callable[[], None],
        ping_every: float = PING_EVERY,
        disabled: bool = False,
    ) -> None:
        self._time = time
        self._ack_timeout = ack_timeout
        self._retry_after = retry_after
        self._settled = on_settled
        self._changed = changed
        self._ping_every = ping_every
        self._disabled = disabled
        self._tickets: set[str] = set()
        self._connections: list[Connection] = []
        self._open: dict[str, Transit] = {}
        self._turn = 0

    @property
    def app_active(self) -> bool:
        """Return whether the app has a connection."""
        return bool(self._connections)

    def ticket(self) -> str:
        """Create a ticket that opens one connection."""
        ticket = secrets.token_urlsafe(16)
        self._tickets.add(ticket)
        return ticket

    def publish(self, envelope: Envelope) -> None:
        """Send an event; it stays until it is acknowledged or given up."""
        transit = self._open[envelope.id] = Transit(envelope)
        self._send(transit)

    async def ask(self, kind: Kind, payload: Json) -> Json:
        """Send a person's action; return the payload of the acknowledgement, {} if it has none."""
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        transit = Transit(Envelope(kind, payload, self._time()), answer=answer)
        self._open[transit.envelope.id] = transit
        self._send(transit)
        try:
            if not await self._time.limited(answer, self._ack_timeout):
                raise Unacknowledged
            return answer.result()
        finally:
            self._finish(transit)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection of the app until it ends."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden(text="this ticket was used or never given")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(timeout=CLOSING, heartbeat=self._ping_every)
        await socket.prepare(request)
        connection = Connection(socket, request.host)
        if refused := self._refusal_reason():
            connection.end(refused)
            await connection.write()
            return socket
        life = CONNECTION_LIFE // (10 if request.query.get("debug_reconnects") == "true" else 1)
        connection.send(self._hello_frame(connection, life))
        connection.timer = self._time.call_later(life - WARNED_BEFORE, lambda: self._warn(connection))
        writer = asyncio.create_task(connection.write())
        self._connections.append(connection)
        self._changed()
        self._flush()
        try:
            await self._read(socket)
        finally:
            self._remove_broken([connection])
            writer.cancel()
        return socket

    async def drop(self) -> None:
        """Drop every connection without a message, as when Slack breaks down."""
        connections = list(self._connections)
        self._remove_broken(connections)
        await asyncio.gather(*(connection.socket.close() for connection in connections))

    def disconnect(self, reason: str) -> None:
        """End every connection with this reason; after a `warning` they stay for ten seconds."""
        connections = list(self._connections)
        if reason == "warning":
            for connection in connections:
                self._warn(connection)
            return
        self._remove_broken(connections)
        for connection in connections:
            connection.end(reason)

    async def close(self) -> None:
        await self.drop()
        for transit in self._open.values():
            transit.stop_timer()

    def _refusal_reason(self) -> str | None:
        if self._disabled:
            return "link_disabled"
        return "too_many_websockets" if len(self._connections) >= MOST_CONNECTIONS else None

    def _hello_frame(self, connection: Connection, life: int) -> Json:
        return {
            "type": "hello",
            "connection_info": {"app_id": seed.APP_ID},
            "num_connections": len(self._connections) + 1,
            "debug_info": {"host": connection.host, "build_number": 1, "approximate_connection_time": life},
        }

    def _warn(self, connection: Connection) -> None:
        connection.say_goodbye("warning")
        connection.timer = self._time.call_later(WARNED_BEFORE, lambda: self._refresh(connection))

    def _refresh(self, connection: Connection) -> None:
        self._remove_broken([connection])
        connection.end("refresh_requested")

    async def _read(self, socket: web.WebSocketResponse) -> None:
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            with suppress(ValueError):  # Slack ignores what is not an acknowledgement
                content = json.loads(frame.data)
                if isinstance(content, dict):
                    self._take_acknowledgement(content)

    def _take_acknowledgement(self, acknowledgement: Json) -> None:
        transit = self._open.get(str(acknowledgement.get("envelope_id", "")))
        if transit is None:
            return
        if transit.answer and not transit.answer.done():
            payload = acknowledgement.get("payload")
            transit.answer.set_result(payload if isinstance(payload, dict) else {})
        self._finish(transit)

    def _send(self, transit: Transit) -> None:
        transit.stop_timer()
        transit.connection = None
        if not self._connections:
            return
        self._turn = (self._turn + 1) % len(self._connections)
        transit.connection = self._connections[self._turn]
        transit.connection.outbox.put_nowait(transit.frame())
        if transit.envelope.kind == "events_api":
            transit.timer = self._time.call_later(self._ack_timeout, lambda: self._send_again_later(transit))

    def _send_again_later(self, transit: Transit) -> None:
        envelope = transit.envelope
        if envelope.attempt == len(self._retry_after):
            self._finish(transit)
            return
        transit.connection = None
        envelope.reason = "timeout"
        delay = self._retry_after[envelope.attempt]
        envelope.attempt += 1
        transit.timer = self._time.call_later(delay, lambda: self._send(transit))

    def _finish(self, transit: Transit) -> None:
        transit.stop_timer()
        if self._open.pop(transit.envelope.id, None):
            self._settled(transit.envelope)

    def _flush(self) -> None:
        """Send the envelopes that wait for a connection, in order."""
        for transit in list(self._open.values()):
            if transit.connection or transit.timer:
                continue
            if self._time() - transit.envelope.made_at > TOO_LATE:
                self._finish(transit)
            else:
                self._send(transit)

    def _remove_broken(self, connections: list[Connection]) -> None:
        """Remove broken connections; their envelopes go to another one, or wait for it."""
        self._connections = [each for each in self._connections if each not in connections]
        self._changed()
        for connection in connections:
            if connection.timer:
                connection.timer.cancel()
        for transit in list(self._open.values()):
            if transit.connection in connections:
                envelope = transit.envelope
                envelope.attempt = min(envelope.attempt + 1, len(self._retry_after))
                envelope.reason = "connection_failed"
                self._send(transit)
