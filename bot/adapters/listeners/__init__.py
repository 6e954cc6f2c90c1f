"""Listeners for Slack: the Bolt app over Socket Mode or over HTTP.

A global middleware passes every body to `record` before its ack: everything acknowledged is on disk. If `record`
raises, there is no ack, and Slack sends the event again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from aiohttp import web
from pydantic_core import from_json
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError

from bot.adapters.listeners.events import SocketEvents, is_own
from bot.adapters.listeners.forge_webhooks import FORGE_PATH, ForgeSignature, ForgeWebhooks, WebhookSecret
from bot.adapters.listeners.signed import PATH, SignedRequestServer, SignedRoute
from bot.runtime.acks import PendingAcks
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_bolt.context.async_context import AsyncBoltContext
    from slack_sdk.socket_mode.aiohttp import SocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.ports.access import AccessCheck
    from bot.ports.payload_handlers import PayloadsPort, ReconnectPort
    from bot.ports.slack import SocketAddresses
    from bot.ports.tasks import TaskRootsPort

    Body = dict[str, Any]

log = logging.getLogger(__name__)

__all__ = ["PATH", "Handlers", "HttpListeners", "Listeners", "SocketListeners", "WebhookSecret", "is_own"]

_NO_TOKEN = frozenset({"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"})
"""Slack's error codes for a token that is no longer valid."""

_ANY = re.compile(".*", re.DOTALL)


@dataclass(frozen=True)
class Handlers:
    """Handlers of payloads and of the connection."""

    payloads: PayloadsPort
    """Dispatcher: records before the ack; handles after it, or for the ack of a dialog or a command."""
    catch_ups: ReconnectPort
    """Told of each connection, before anything was received through it."""
    access: AccessCheck
    """Told of a refused app token."""
    acks: PendingAcks = field(default_factory=PendingAcks)
    """The outstanding acks."""
    tasks: TaskRootsPort | None = None
    """First messages of created tasks; `None` in tests that need none."""


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
        began = time.time()
        with passing("socket.frame", req.type):
            answer = await run_async_bolt_app(self.app, req)
        with passing("socket.ack", req.type):
            await send_async_response(client, req, answer, began)


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
        _register(app, handlers, self._own_user)

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

    async def close(self) -> None:
        """Accept nothing more."""
        if self._renewing:
            self._renewing.cancel()
        if self._handler:
            with passing("socket.close", ""):
                await self._handler.close_async()  # type: ignore[no-untyped-call]  # as above
            await self._handler.events.stop()


class HttpListeners:
    """HTTP on loopback, for a proxy that terminates TLS. Only requests signed by Slack, or by a forge with one of
    `webhook_secrets`, are accepted.

    `signed` lets nothing else near a parser. A request repeated within its five minutes has known ids and no effect.
    """

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        signing_secret: str,
        port: int,
        own_user: str,
        webhook_secrets: tuple[WebhookSecret, ...] = (),
    ) -> None:
        self._app = AsyncApp(
            client=client, signing_secret=signing_secret, name="triage", raise_error_for_unhandled_request=False
        )
        self._secret, self._port, self._own_user = signing_secret, port, own_user
        self._webhook_secrets = webhook_secrets
        self._server: SignedRequestServer | None = None

    async def connect(self, handlers: Handlers) -> None:
        """Listen. Raises `Misconfigured` when the port is taken."""
        _register(self._app, handlers, self._own_user)
        webhooks = ForgeWebhooks(payloads=handlers.payloads, acks=handlers.acks)
        signature = ForgeSignature(self._webhook_secrets)
        routes = {FORGE_PATH: SignedRoute(signature, webhooks)} if self._webhook_secrets else {}
        self._server = SignedRequestServer(secret=self._secret, port=self._port, handler=self, routes=routes)
        await self._server.open()
        handlers.catch_ups.schedule_all()

    @property
    def port(self) -> int:
        """Return the listening port; useful if port 0 was requested."""
        return self._server.port if self._server else self._port

    async def connected(self) -> bool:
        """Return whether it listens."""
        return self._server is not None and self._server.is_open

    async def close(self) -> None:
        """Finish the running requests, and stop listening."""
        if self._server:
            await self._server.close()

    async def answer(self, request: web.BaseRequest, body: str) -> web.Response:
        """Return Bolt's answer to a signed request."""
        try:
            bolt_request = AsyncBoltRequest(body=body, query=request.query_string, headers=dict(request.headers))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):  # JSON or a form of another shape
            return web.Response(status=400, text="expected a body that Slack would send")
        return await to_aiohttp_response(await self._app.async_dispatch(bolt_request))


def _register(app: AsyncApp, handlers: Handlers, own_user: str) -> None:
    payloads = handlers.payloads

    async def record_first(
        body: Body, context: AsyncBoltContext, next: Callable[[], Awaitable[Any]]
    ) -> BoltResponse | None:
        if is_own(body, own_user, handlers.tasks):
            return BoltResponse(status=200)
        with handlers.acks.track():
            context["received"] = await payloads.record(body)
        await next()
        return None

    async def on_event(context: AsyncBoltContext) -> None:
        await payloads.handle(context["received"])

    async def on_press(ack: AsyncAck, context: AsyncBoltContext) -> None:
        await ack()
        await payloads.handle(context["received"])

    async def on_dialog(ack: AsyncAck, context: AsyncBoltContext) -> None:
        errors = await payloads.handle(context["received"])
        if errors:
            await ack(response_action="errors", errors=errors)
        else:
            await ack()

    async def on_command(ack: AsyncAck, context: AsyncBoltContext) -> None:
        await ack(**await payloads.handle(context["received"]), response_type="ephemeral")

    app.use(record_first)
    app.event(_ANY)(on_event)
    app.action(_ANY)(on_press)
    app.shortcut(_ANY)(on_press)
    app.view_submission(_ANY)(on_dialog)
    app.command(_ANY)(on_command)
