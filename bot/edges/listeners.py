"""Where Slack comes in: the Bolt app over Socket Mode. The handlers come in as arguments.

A global middleware hands every body to `record` before its ack: what Slack saw acknowledged is on disk. When `record`
raises there is no ack, and Slack sends the event again.
"""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.faultpoints import passing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_sdk.socket_mode.aiohttp import SocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest
    from slack_sdk.web.async_client import AsyncWebClient

    Body = dict[str, Any]

log = logging.getLogger(__name__)
_ANY = re.compile(".*", re.DOTALL)


@dataclass(frozen=True)
class Handlers:
    """What is done with a body. `record` runs before the ack, the others after it; a dialog's answer is its ack."""

    record: Callable[[Body], Awaitable[None]]
    event: Callable[[Body], Awaitable[None]]
    press: Callable[[Body], Awaitable[None]]
    dialog: Callable[[Body], Awaitable[dict[str, str]]]
    """Answers with the errors to show, by `block_id`; none closes the dialog."""
    connected: Callable[[], None]
    """A socket was opened, the first one or another; nothing has come in through it yet."""


class _Connection(AsyncSocketModeHandler):
    """Bolt's own, with a point between what a frame brings and its ack."""

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:  # type: ignore[override]  # as in Bolt
        began = time.time()
        with passing("socket.frame", req.type):
            answer = await run_async_bolt_app(self.app, req)
        with passing("socket.ack", req.type):
            await send_async_response(client, req, answer, began)


class Listeners:
    """The Bolt app and its connection. `app_token` opens the socket, `client` carries the bot's token."""

    def __init__(self, *, client: AsyncWebClient, app_token: str, handlers: Handlers) -> None:
        self._app = AsyncApp(client=client, name="triage", raise_error_for_unhandled_request=False)
        self._handler = _Connection(self._app, app_token, ping_interval=5)
        self._register(handlers)

    async def connect(self) -> None:
        """Open the socket; it reconnects by itself from then on."""
        await self._handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped

    async def connected(self) -> bool:
        """Whether the socket is alive at this moment."""
        return await self._handler.client.is_connected()

    async def close(self) -> None:
        """Take nothing more in."""
        await self._handler.close_async()  # type: ignore[no-untyped-call]  # as above

    def _register(self, handlers: Handlers) -> None:
        app = self._app

        async def record_first(body: Body, next: Callable[[], Awaitable[Any]]) -> None:
            await handlers.record(body)
            await next()

        async def on_event(body: Body) -> None:
            await handlers.event(body)

        async def on_press(ack: AsyncAck, body: Body) -> None:
            await ack()
            await handlers.press(body)

        async def on_dialog(ack: AsyncAck, body: Body) -> None:
            errors = await handlers.dialog(body)
            if errors:
                await ack(response_action="errors", errors=errors)
            else:
                await ack()

        async def on_frame(_: object, frame: Body, __: str | None = None) -> None:
            if frame.get("type") == "hello":
                handlers.connected()

        self._handler.client.message_listeners.append(on_frame)
        app.use(record_first)
        app.event(_ANY)(on_event)
        app.action(_ANY)(on_press)
        app.view_submission(_ANY)(on_dialog)
