"""HTTP mode: the Bolt app behind a server that checks signatures."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.adapters.listeners.forge_webhooks import FORGE_PATH, ForgeSignature, ForgeWebhooks, WebhookSecret
from bot.adapters.listeners.handlers import Handlers, register
from bot.adapters.listeners.signed import SignedRequestServer, SignedRoute
from bot.runtime.acks import PendingAcks
from bot.runtime.draining import Draining

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.models.address import ListenAddress


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
        address: ListenAddress,
        own_user: str,
        webhook_secrets: tuple[WebhookSecret, ...] = (),
    ) -> None:
        self._app = AsyncApp(
            client=client, signing_secret=signing_secret, name="triage", raise_error_for_unhandled_request=False
        )
        self._secret, self._address, self._own_user = signing_secret, address, own_user
        self._webhook_secrets = webhook_secrets
        self._server: SignedRequestServer | None = None
        self._draining, self._acks = Draining(), PendingAcks()
        self._answering = 0

    async def connect(self, handlers: Handlers) -> None:
        """Listen. Raises `Misconfigured` when the port is taken."""
        self._draining, self._acks = handlers.draining, handlers.acks
        register(self._app, handlers, self._own_user)
        webhooks = ForgeWebhooks(payloads=handlers.payloads, acks=handlers.acks)
        signature = ForgeSignature(self._webhook_secrets)
        routes = {FORGE_PATH: SignedRoute(signature, webhooks)} if self._webhook_secrets else {}
        self._server = SignedRequestServer(secret=self._secret, address=self._address, handler=self, routes=routes)
        await self._server.open()
        handlers.catch_ups.schedule_all()

    @property
    def port(self) -> int:
        """Return the listening port; useful if port 0 was requested."""
        return self._server.port if self._server else self._address.port

    async def connected(self) -> bool:
        """Return whether it listens."""
        return self._server is not None and self._server.is_open

    @property
    def waiting(self) -> int:
        """Return the number of requests that are not answered."""
        return self._answering

    async def close(self) -> None:
        """Finish the running requests, and stop listening."""
        if self._server:
            await self._server.close()

    async def answer(self, request: web.BaseRequest, body: str) -> web.Response:
        """Return Bolt's answer to a signed request.

        A process that ends refuses events, which Slack sends again; presses, dialogs and commands come only once, so
        they are taken until its end.
        """
        if self._draining.is_on and request.content_type == "application/json":
            return web.Response(status=503, text="Triage is ending; send it again")
        try:
            bolt_request = AsyncBoltRequest(body=body, query=request.query_string, headers=dict(request.headers))
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):  # JSON or a form of another shape
            return web.Response(status=400, text="expected a body that Slack would send")
        began = time.monotonic()
        self._answering += 1
        try:
            return await to_aiohttp_response(await self._app.async_dispatch(bolt_request))
        finally:
            self._answering -= 1
            self._acks.measure(began)
