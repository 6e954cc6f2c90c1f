"""Listeners for Slack: the Bolt app over Socket Mode or over HTTP.

A global middleware passes every body to `record` before its ack: everything acknowledged is on disk. If `record`
raises, there is no ack, and Slack sends the event again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from pydantic_core import from_json
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from bot.adapters.listeners.events import SocketEvents, is_own
from bot.adapters.listeners.forge_webhooks import WebhookSecret
from bot.adapters.listeners.handlers import Handlers, register
from bot.adapters.listeners.http import HttpListeners
from bot.adapters.listeners.signed import PATH
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from slack_sdk.socket_mode.aiohttp import SocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.ports.slack import SocketAddresses

    Body = dict[str, Any]

log = logging.getLogger(__name__)

__all__ = ["PATH", "Handlers", "HttpListeners", "Listeners", "SocketListeners", "WebhookSecret", "is_own"]

_NO_TOKEN = frozenset({"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"})
"""Slack's error codes for a token that is no longer valid."""


class _Connection(AsyncSocketModeHandler):
    """Bolt's handler with failpoints between a frame and its ack. Events bypass it."""

    def __init__(self, app: AsyncApp, app_token: str, *, handlers: Handlers, own_user: str) -> None:
        super().__init__(app, app_token, ping_interval=5)
        self.events = SocketEvents(
            payloads=handlers.payloads,
            socket=self.client,
            acks=handlers.acks,
            own_user=own_user,
            tasks=handlers.tasks,
        )
        self._acks = handlers.acks
        self._access, self._issue = handlers.access, self.client.issue_new_wss_url
        self.client.issue_new_wss_url = self._address  # type: ignore[method-assign]  # it would retry such a token forever
        self._queued = self.client.enqueue_message
        self.client.enqueue_message = self._on_message  # type: ignore[method-assign, assignment]  # intercepts frames first

    async def _address(self) -> str:
        """Return the address for another socket, as the SDK requests it."""
        try:
            return await self._issue()
        except SlackApiError as problem:
            if (code := str(problem.response.get("error"))) in _NO_TOKEN:
                self._access.app_token_refused(code)
            raise

    async def _on_message(self, content: str) -> None:
        """Accept an event immediately; all other frames go to the SDK's queue."""
        match frame := _parse_frame(content):
            case {"type": "events_api", "envelope_id": str(envelope), "payload": dict(body)}:
                self.events.accept(envelope, body, len(content))
            case _ if frame is not None:
                await self._queued(content)

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:  # type: ignore[override]  # as in Bolt
        began, measured_from = time.time(), time.monotonic()
        with passing("socket.frame", req.type):
            answer = await run_async_bolt_app(self.app, req)
        with passing("socket.ack", req.type):
            await send_async_response(client, req, answer, began)
        self._acks.measure(measured_from)


def _parse_frame(content: str) -> Any:
    """Parse a frame; `None` if it is no JSON."""
    try:
        return from_json(content)  # twice as fast, but rejects halves of surrogate pairs, which a message may contain
    except ValueError:
        with suppress(ValueError, RecursionError):
            return json.loads(content)
    return None


class Listeners(Protocol):
    """A connection through which Slack delivers."""

    async def connect(self, handlers: Handlers) -> None:
        """Give everything that Slack sends to these handlers from now on."""

    async def connected(self) -> bool:
        """Return whether Slack can deliver at this moment."""

    @property
    def waiting(self) -> int:
        """Return the number of acknowledged events that are not handled."""

    async def close(self) -> None:
        """Accept nothing more."""


class SocketListeners:
    """Socket Mode: `app_token` opens the socket, `client` has the token of the bot, whose id is `own_user`."""

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        app_token: str,
        own_user: str,
        addresses: SocketAddresses,
    ) -> None:
        self._client, self._app_token, self._own_user = client, app_token, own_user
        self._addresses = addresses
        self._handler: _Connection | None = None
        self._renewing: asyncio.Task[None] | None = None

    async def connect(self, handlers: Handlers) -> None:
        """Open the socket; it reconnects by itself from then on.

        The first address is asked for here, since the SDK would try a wrong token for ever.
        """
        self.handlers = handlers
        app = AsyncApp(client=self._client, name="triage", raise_error_for_unhandled_request=False)
        self._handler = handler = _Connection(app, self._app_token, handlers=handlers, own_user=self._own_user)
        handler.client.proxy = self._client.proxy
        register(app, handlers, self._own_user)

        async def on_frame(_: object, frame: Body, __: str | None = None) -> None:
            with passing("socket.heard", str(frame.get("type"))):
                if frame.get("type") == "hello":
                    handlers.catch_ups.schedule_all()

        handler.client.message_listeners.append(on_frame)
        handler.client.wss_uri = await self._addresses.socket_url(self._app_token)
        self._renewing = asyncio.create_task(self._renew(handler), name="socket address")
        handler.events.start()
        with passing("socket.connect", ""):
            await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped

    async def _renew(self, handler: _Connection) -> None:
        """Have the SDK ask for another address after a try that failed.

        An address opens one socket, once. The SDK would retry the same one forever, and receive nothing any more.
        """
        client = handler.client
        while True:
            await asyncio.sleep(client.ping_interval)
            if not await client.is_connected():
                client.wss_uri = None

    async def connected(self) -> bool:
        """Return whether the socket is alive at this moment."""
        return self._handler is not None and await self._handler.client.is_connected()

    @property
    def waiting(self) -> int:
        """Return the number of events that are not handled."""
        return self._handler.events.waiting if self._handler else 0

    async def close(self) -> None:
        """Accept nothing more."""
        if self._renewing:
            self._renewing.cancel()
        if self._handler:
            with passing("socket.close", ""):
                await self._handler.close_async()  # type: ignore[no-untyped-call]  # as above
            await self._handler.events.stop()
