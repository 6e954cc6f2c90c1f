"""Server: the local Slack workspace as one object, which builds all parts and serves them on a loopback port.

`python -m sandbox` and the `triage demo` command run it, tests embed it:

    workspace = await Sandbox.start(port=0)
    client = AsyncWebClient(token="xoxb-sandbox", base_url=workspace.api_url)
    ...
    await workspace.close()
"""

import errno
import socket
from typing import Any, Self

from aiohttp import web

from sandbox.administration import Administration
from sandbox.assistance import STOPPED, Assistance
from sandbox.assistant_threads import AssistantThreads
from sandbox.controls import Controls
from sandbox.delivery import Delivery, Envelope
from sandbox.dialogs import Dialogs
from sandbox.door import loopback_only
from sandbox.events import Events
from sandbox.faults import Faults
from sandbox.files import Files
from sandbox.founding import InitialWorkspace
from sandbox.homes import Homes
from sandbox.human import Human
from sandbox.installation import Installation
from sandbox.interactions import Interactions
from sandbox.keeping import Persistence
from sandbox.legacy_dialogs import LegacyDialogs
from sandbox.lifecycle import Lifecycle
from sandbox.links import Links
from sandbox.manifest import Manifest
from sandbox.methods import Method
from sandbox.methods.app import App
from sandbox.methods.assistant import Assistant
from sandbox.methods.channels import Channels
from sandbox.methods.chat import Chat
from sandbox.methods.conversations import Conversations
from sandbox.methods.directory import Directory
from sandbox.methods.extras import Extras
from sandbox.methods.files import FileMethods
from sandbox.methods.reactions import Reactions
from sandbox.methods.schedule import Schedule
from sandbox.methods.streaming import Streaming
from sandbox.methods.views import Views
from sandbox.models import Json
from sandbox.outgoing import HttpMode
from sandbox.pages import page_routes
from sandbox.people import People
from sandbox.publisher import Publisher
from sandbox.rates import RateLimits
from sandbox.response_urls import ResponseUrls
from sandbox.rooms import Rooms
from sandbox.scopes import Scopes
from sandbox.seed import BOT_USER
from sandbox.setup import Setup
from sandbox.sharing import Sharing
from sandbox.sockets import SocketMode
from sandbox.suggestions import Suggestions
from sandbox.timing import Time
from sandbox.web import WebApi
from sandbox.workspace import Workspace

LARGEST_REQUEST = 4 * 1024 * 1024


class PortTaken(Exception):
    """Port on which another program listens."""


class Sandbox:
    """Running workspace. Create it with `start`."""

    def __init__(self, port: int, setup: Setup) -> None:
        self._links = Links(port)
        self._faults = Faults()
        self._time = Time(setup.clock)
        self._manifest = Manifest.read(setup.manifest) if setup.manifest else None
        founding = InitialWorkspace.build(shared=setup.shared, grid=setup.grid, further=setup.people, hints=setup.hints)
        self._workspace = Workspace(clock=self._time, founding=founding, notice=setup.notice)
        self._keeping = Persistence.open(setup.data, self._workspace) if setup.data else Persistence(self._workspace)
        self._sockets, self._delivery = self._build_delivery(setup)
        self._dialogs = Dialogs(clock=self._time, changed=self._workspace.refresh)
        self._homes = Homes(changed=self._home_changed, views=self._keeping.homes)
        self._assistance = Assistance(
            time=self._time,
            bot=BOT_USER,
            hears_stops=self._manifest is None or self._manifest.hears(STOPPED),
            changed=self._workspace.refresh,
        )
        self._rooms = Rooms(self._workspace)
        self._response_urls = ResponseUrls(workspace=self._workspace, link=self._links.response)
        self._installation = Installation(self._workspace, self._keeping.installation)
        publisher = Publisher(
            self._workspace,
            manifest=self._manifest,
            is_installed=lambda: self._installation.is_installed,
            publish=self._publish,
        )
        events = Events(self._workspace, publisher)
        lifecycle = Lifecycle(self._workspace, publisher)
        self._scopes = Scopes(self._manifest, self._workspace, setup.app_token_scopes)
        self._files = Files(clock=self._time, link=self._links.url_of)
        self._sharing = Sharing(workspace=self._workspace, files=self._files, publisher=publisher, scopes=self._scopes)
        self._legacy = LegacyDialogs(self._dialogs)
        self._human = self._human_side(events, publisher)
        self._web = WebApi(
            methods=self._methods(),
            faults=self._faults,
            scopes=self._scopes,
            rates=RateLimits(self._time) if setup.rate_limits else None,
            installation=self._installation,
            time=self._time,
        )
        self._workspace.listeners += [self._keeping.note_change, self._assistance, events, lifecycle]
        self._workspace.viewers.append(self._human.streams.wake)
        self._runner: web.AppRunner | None = None

    @classmethod
    async def start(cls, *, port: int = 0, host: str = "127.0.0.1", **wishes: Any) -> Self:
        """Start a workspace on 127.0.0.1; port 0 is any free one. The other arguments are those of `Setup`.

        Raises PortTaken, and ValueError for any other host.
        """
        if host != "127.0.0.1":
            raise ValueError("this workspace listens on 127.0.0.1 only")
        setup = Setup(**wishes)
        listening = _listen(host, port)
        try:
            sandbox = cls(listening.getsockname()[1], setup)
        except BaseException:
            listening.close()
            raise
        await sandbox._serve(listening)
        return sandbox

    @property
    def port(self) -> int:
        return self._links.port

    @property
    def installation(self) -> Installation:
        return self._installation

    @property
    def url(self) -> str:
        return self._links.origin

    @property
    def api_url(self) -> str:
        """Return the base URL for `AsyncWebClient(base_url=...)`."""
        return self._links.api

    def advance(self, seconds: float) -> None:
        """Advance the workspace's clock; timers that become due run."""
        self._time.advance(seconds)

    async def close(self) -> None:
        self._human.streams.close()
        await self._delivery.close()
        await self._sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self._time.close()
        self._keeping.close()

    async def _serve(self, listening: socket.socket) -> None:
        app = web.Application(middlewares=[loopback_only], client_max_size=LARGEST_REQUEST)
        controls = Controls(time=self._time, faults=self._faults, sockets=self._sockets, api=self._web)
        app.add_routes(
            [
                web.get("/api/{method}", self._web.handle),
                web.post("/api/{method}", self._web.handle),
                web.get("/link/", self._sockets.serve),
                web.post("/respond/{key}", self._response_urls.handle),
                *self._sharing.routes(),
                *self._human.routes(),
                *controls.routes(),
                *page_routes(),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.SockSite(self._runner, listening).start()
        for envelope in self._keeping.unacknowledged():
            self._delivery.publish(envelope)

    def _build_delivery(self, setup: Setup) -> tuple[SocketMode, Delivery]:
        """Build Socket Mode, and the delivery in use: an app with an events URL gets nothing over sockets."""
        sockets = SocketMode(
            time=self._time,
            ack_timeout=setup.ack_timeout,
            retry_after=setup.retry_after,
            on_settled=self._keeping.handle_settled,
            changed=self._workspace.refresh,
            ping_every=setup.ping_every,
            disabled=setup.events_url is not None,
        )
        if setup.events_url is None:
            return sockets, sockets
        return sockets, HttpMode(
            url=setup.events_url,
            secret=setup.signing_secret,
            time=self._time,
            ack_timeout=setup.ack_timeout,
            retry_after=setup.retry_after,
            on_settled=self._keeping.handle_settled,
            changed=self._workspace.refresh,
        )

    def _human_side(self, events: Events, publisher: Publisher) -> Human:
        suggestions = Suggestions(
            workspace=self._workspace,
            dialogs=self._dialogs,
            homes=self._homes,
            delivery=self._delivery,
            legacy=self._legacy,
        )
        assistant = AssistantThreads(
            workspace=self._workspace, assistance=self._assistance, publisher=publisher, manifest=self._manifest
        )
        return Human(
            workspace=self._workspace,
            dialogs=self._dialogs,
            homes=self._homes,
            assistance=self._assistance,
            rooms=self._rooms,
            manifest=self._manifest,
            interactions=Interactions(
                workspace=self._workspace,
                dialogs=self._dialogs,
                homes=self._homes,
                manifest=self._manifest,
                delivery=self._delivery,
                response_urls=self._response_urls,
                suggestions=suggestions,
                legacy=self._legacy,
            ),
            suggestions=suggestions,
            events=events,
            delivery=self._delivery,
            further={**assistant.acts(), "upload": self._sharing.upload},
            administration=Administration(
                workspace=self._workspace,
                people=People(self._workspace),
                rooms=self._rooms,
                installation=self._installation,
            ),
        )

    def _methods(self) -> dict[str, Method]:
        workspace, links = self._workspace, self._links
        return {
            **Chat(workspace=workspace, links=links, manifest=self._manifest).methods(),
            **Conversations(workspace=workspace).methods(),
            **Channels(workspace=workspace, rooms=self._rooms).methods(),
            **Reactions(workspace=workspace, links=links).methods(),
            **Views(
                workspace=workspace,
                dialogs=self._dialogs,
                homes=self._homes,
                legacy=self._legacy,
                manifest=self._manifest,
            ).methods(),
            **Assistant(workspace=workspace, assistance=self._assistance, manifest=self._manifest).methods(),
            **Directory(workspace=workspace, links=links, scopes=self._scopes).methods(),
            **Extras(workspace=workspace, links=links).methods(),
            **FileMethods(workspace=workspace, files=self._files, sharing=self._sharing).methods(),
            **Schedule(workspace=workspace, time=self._time).methods(),
            **Streaming(workspace=workspace).methods(),
            **App(workspace, links, ticket=self._sockets.ticket, installation=self._installation).methods(),
        }

    def _home_changed(self, user: str, view: Json) -> None:
        self._keeping.save_home(user, view)
        self._workspace.refresh()

    def _publish(self, payload: Json) -> None:
        times = 2 if self._faults.for_event() else 1
        for _ in range(times):
            envelope = Envelope("events_api", payload, self._time())
            self._keeping.sent(envelope)
            self._delivery.publish(envelope)


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # Lets a workspace restart on its port immediately.
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
