"""The local Slack workspace as one object: it builds every part, and serves them on one loopback port.

`python -m sandbox` and the `triage demo` command run it, tests embed it:

    workspace = await Sandbox.start(port=0)
    client = AsyncWebClient(token="xoxb-sandbox", base_url=workspace.api_url)
    ...
    await workspace.close()
"""

import errno
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from aiohttp import web

from sandbox.dialogs import Dialogs
from sandbox.door import door
from sandbox.events import Events
from sandbox.faults import Faults
from sandbox.human import Human, body_of, refusal
from sandbox.interactions import Interactions
from sandbox.keeping import Keeping
from sandbox.links import Links
from sandbox.methods import Method
from sandbox.methods.chat import Chat
from sandbox.methods.conversations import Conversations
from sandbox.methods.directory import Directory
from sandbox.methods.reactions import Reactions
from sandbox.methods.views import Views
from sandbox.models import Json, Refused
from sandbox.pages import page_routes
from sandbox.response_urls import ResponseUrls
from sandbox.sockets import Envelope, SocketMode
from sandbox.web import WebApi
from sandbox.workspace import Clock, Workspace

ACK_TIMEOUT = 3.0
"""Seconds the app has to acknowledge."""
RETRY_AFTER = (0.0, 60.0, 300.0)
"""Seconds from a late acknowledgement to the next attempt; after the last one Slack gives the event up."""
LARGEST_REQUEST = 4 * 1024 * 1024


class PortTaken(Exception):
    """Another program listens on this port."""


class Sandbox:
    """One running workspace. Build it with `start`."""

    def __init__(
        self, *, port: int, data: Path | None, clock: Clock, ack_timeout: float, retry_after: Sequence[float]
    ) -> None:
        self._links = Links(port)
        self._faults = Faults()
        self._workspace = Workspace(clock=clock)
        self._keeping = Keeping.open(data, self._workspace) if data else Keeping()
        self._dialogs = Dialogs(clock=clock, changed=self._workspace.refresh)
        self._sockets = SocketMode(
            clock=clock, ack_timeout=ack_timeout, retry_after=retry_after, settled=self._keeping.settled
        )
        events = Events(self._workspace, publish=self._publish)
        self._response_urls = ResponseUrls(workspace=self._workspace, link=self._links.response)
        self._human = Human(
            workspace=self._workspace,
            dialogs=self._dialogs,
            interactions=Interactions(
                workspace=self._workspace,
                dialogs=self._dialogs,
                sockets=self._sockets,
                response_urls=self._response_urls,
            ),
            events=events,
        )
        self._web = WebApi(methods=self._methods(), faults=self._faults, clock=clock)
        self._workspace.listeners += [self._keeping.changed, events]
        self._workspace.viewers.append(self._human.streams.wake)
        self._runner: web.AppRunner | None = None

    @classmethod
    async def start(
        cls,
        *,
        port: int = 0,
        data: Path | None = None,
        clock: Clock = time.time,
        ack_timeout: float = ACK_TIMEOUT,
        retry_after: Sequence[float] = RETRY_AFTER,
        host: str = "127.0.0.1",
    ) -> Self:
        """Listen on 127.0.0.1; port 0 is any free one. Raises PortTaken, and ValueError for any other host."""
        if host != "127.0.0.1":
            raise ValueError("this workspace listens on 127.0.0.1 only")
        listening = _listen(host, port)
        try:
            sandbox = cls(
                port=listening.getsockname()[1],
                data=data,
                clock=clock,
                ack_timeout=ack_timeout,
                retry_after=retry_after,
            )
        except BaseException:
            listening.close()
            raise
        await sandbox._serve(listening)
        return sandbox

    @property
    def port(self) -> int:
        return self._links.port

    @property
    def url(self) -> str:
        return self._links.origin

    @property
    def api_url(self) -> str:
        """What `AsyncWebClient(base_url=...)` takes."""
        return self._links.api

    async def close(self) -> None:
        self._human.streams.close()
        await self._sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self._keeping.close()

    async def _serve(self, listening: socket.socket) -> None:
        app = web.Application(middlewares=[door], client_max_size=LARGEST_REQUEST)
        app.add_routes(
            [
                web.get("/api/{method}", self._web.handle),
                web.post("/api/{method}", self._web.handle),
                web.get("/link/", self._sockets.serve),
                web.post("/respond/{key}", self._response_urls.handle),
                *self._human.routes(),
                web.post("/faults", self._order_fault),
                web.delete("/faults", self._clear_faults),
                web.get("/calls", self._calls),
                *page_routes(),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.SockSite(self._runner, listening).start()
        for envelope in self._keeping.unsettled():
            self._sockets.publish(envelope)

    def _methods(self) -> dict[str, Method]:
        workspace, links = self._workspace, self._links
        return {
            **Chat(workspace=workspace, links=links).methods(),
            **Conversations(workspace=workspace).methods(),
            **Reactions(workspace=workspace, links=links).methods(),
            **Views(dialogs=self._dialogs).methods(),
            **Directory(workspace=workspace, links=links, ticket=self._sockets.ticket).methods(),
        }

    def _publish(self, payload: Json) -> None:
        times = 2 if self._faults.for_event() else 1
        for _ in range(times):
            envelope = Envelope("events_api", payload, self._workspace.clock())
            self._keeping.sent(envelope)
            self._sockets.publish(envelope)

    async def _order_fault(self, request: web.Request) -> web.Response:
        try:
            fault = self._faults.order(await body_of(request))
        except Refused as refused:
            return refusal(refused)
        if fault.kind == "disconnect":
            await self._sockets.drop()
        return web.json_response({"ok": True})

    async def _clear_faults(self, _: web.Request) -> web.Response:
        self._faults.clear()
        return web.json_response({"ok": True})

    async def _calls(self, _: web.Request) -> web.Response:
        return web.json_response({"ok": True, "calls": list(self._web.calls)})


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # A workspace that was just stopped may come back on its port at once.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(f"port {port} is taken by another program") from None
        raise
    return listening
