"""Human side: a person's actions in Slack as JSON over HTTP, used by the page and by tests."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from aiohttp import web

from sandbox import seed
from sandbox.administration import Act, Administration
from sandbox.assistance import Assistance
from sandbox.body import Body, body_of, refusal
from sandbox.buttons import ElementQuery
from sandbox.delivery import Delivery
from sandbox.dialogs import Dialogs
from sandbox.ephemerals import Screen
from sandbox.events import Events
from sandbox.homes import Homes
from sandbox.human_rooms import HumanRooms
from sandbox.interactions import Interactions
from sandbox.manifest import Manifest
from sandbox.models import Json, Refused
from sandbox.rooms import Rooms
from sandbox.screen import screen
from sandbox.stream import Streams
from sandbox.suggestions import Suggestions
from sandbox.workspace import Workspace


class Human:
    """Routes under /human."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        dialogs: Dialogs,
        homes: Homes,
        assistance: Assistance,
        rooms: Rooms,
        manifest: Manifest | None,
        interactions: Interactions,
        suggestions: Suggestions,
        events: Events,
        delivery: Delivery,
        administration: Administration,
        further: dict[str, Act],
    ) -> None:
        self._workspace = workspace
        self._dialogs = dialogs
        self._homes = homes
        self._assistance = assistance
        self._rooms = rooms
        self._manifest = manifest
        self._interactions = interactions
        self._suggestions = suggestions
        self._events = events
        self._delivery = delivery
        self._administration = administration
        self._further = further
        self.streams = Streams(draw=self._screen, ephemerals=workspace.ephemerals)

    def routes(self) -> list[web.RouteDef]:
        acts: dict[str, Act] = {
            "say": self._say,
            "edit": self._edit,
            "delete": self._delete,
            "react": self._react,
            "press": self._press,
            "submit": self._submit,
            "close": self._close,
            "suggest": self._suggest,
            "command": self._command,
            "shortcut": self._shortcut,
            "presence": self._presence,
            "home": self._open_home,
            **HumanRooms(self._workspace, self._rooms).acts(),
            **self._administration.acts(),
            **self._further,
        }
        posts = [web.post(f"/human/{name}", self._handler(act)) for name, act in acts.items()]
        return [
            *posts,
            web.get("/human/view", self._view),
            web.get("/human/stream", self._stream),
            web.get("/human/people", self._people),
            web.get("/human/commands", self._commands),
            web.get("/human/shortcuts", self._shortcuts),
        ]

    def _handler(self, act: Act) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                return web.json_response(await act(Body(await body_of(request), self._workspace)))
            except Refused as refused:
                return refusal(refused)

        return handle

    async def _say(self, body: Body) -> Json:
        """Post a message; `broadcast` also sends a reply to the channel, `as_webhook` posts as a legacy webhook.

        `blocks`, `attachments` and `files` go into the message unchanged; with one of them the text may be empty.
        """
        blocks, attachments, files = map(body.objects, ("blocks", "attachments", "files"))
        user, channel = body.speaker, body.text("channel")
        text = (body.optional("text") or "") if blocks or attachments or files else body.text("text")
        message = self._workspace.post(
            channel,
            text,
            user=user,
            thread_ts=body.optional("thread_ts"),
            broadcast=body.flag("broadcast", default=False),
            as_webhook=user == seed.OTHER_BOT and body.flag("as_webhook", default=False),
            blocks=blocks,
            attachments=attachments,
            files=files,
        )
        return {"ok": True, "ts": message.ts, "channel": message.channel}

    async def _edit(self, body: Body) -> Json:
        user, channel, ts = body.speaker, body.text("channel"), body.text("ts")
        attachments = body.objects("attachments")
        text = None if attachments and not body.optional("text") else body.text("text")
        self._workspace.edit(channel, ts, user=user, text=text, attachments=attachments)
        return {"ok": True}

    async def _delete(self, body: Body) -> Json:
        self._workspace.delete(body.text("channel"), body.text("ts"), user=body.speaker)
        return {"ok": True}

    async def _react(self, body: Body) -> Json:
        user, channel, ts = body.user, body.text("channel"), body.text("ts")
        remove = body.flag("remove", default=False)
        self._workspace.react(channel, ts, body.text("name"), user=user, remove=remove)
        return {"ok": True}

    async def _press(self, body: Body) -> Json:
        return await self._interactions.press(body.user, _read_element_query(body, body.anything("value")))

    async def _suggest(self, body: Body) -> Json:
        """Return the options of an external menu for the typed text."""
        return await self._suggestions.ask(body.user, _read_element_query(body, None), body.optional("text") or "")

    async def _submit(self, body: Body) -> Json:
        return await self._interactions.submit(body.user, body.text("view_id"), body.structure("values"))

    async def _close(self, body: Body) -> Json:
        clear = body.flag("clear", default=False)
        return await self._interactions.close(body.user, body.text("view_id"), clear=clear)

    async def _command(self, body: Body) -> Json:
        command = body.text("command")
        if not command.startswith("/"):
            raise Refused("invalid_command")
        text = body.optional("text") or ""
        return await self._interactions.command(body.user, body.text("channel"), command, text)

    async def _shortcut(self, body: Body) -> Json:
        callback_id, ts = body.text("callback_id"), body.optional("ts")
        channel = None if ts is None else body.text("channel")
        return await self._interactions.shortcut(body.user, callback_id, channel, ts)

    async def _presence(self, body: Body) -> Json:
        user = body.user
        if body.flag("active"):
            self._workspace.away.discard(user)
        else:
            self._workspace.away.add(user)
        self._workspace.refresh()
        return {"ok": True}

    async def _open_home(self, body: Body) -> Json:
        user, tab = body.user, body.optional("tab") or "home"
        if tab not in ("home", "messages"):
            raise Refused("invalid_tab")
        self._events.home_opened(user, tab, self._homes.view_of(user))
        return {"ok": True}

    async def _view(self, request: web.Request) -> web.Response:
        try:
            return web.json_response(self._screen(self._viewer(request), None))
        except Refused as refused:
            return refusal(refused)

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        try:
            user = self._viewer(request)
        except Refused as refused:
            return refusal(refused)
        return await self.streams.serve(request, user)

    async def _people(self, request: web.Request) -> web.Response:
        directory = self._administration.directory()
        for person in directory["people"]:
            person["active"] = self._is_active(person["id"])
        return web.json_response(directory)

    async def _commands(self, _: web.Request) -> web.Response:
        commands = self._manifest.commands if self._manifest else ()
        return web.json_response({"commands": [asdict(each) for each in commands]})

    async def _shortcuts(self, _: web.Request) -> web.Response:
        shortcuts = self._manifest.shortcuts if self._manifest else ()
        return web.json_response({"shortcuts": [asdict(each) for each in shortcuts]})

    def _is_active(self, person: str) -> bool:
        return self._delivery.app_active if person == seed.BOT_USER else person not in self._workspace.away

    def _viewer(self, request: web.Request) -> str:
        return Body(dict(request.query), self._workspace).user

    def _screen(self, user: str, page: Screen | None) -> Json:
        return screen(
            user,
            page,
            app_active=self._delivery.app_active,
            workspace=self._workspace,
            dialogs=self._dialogs,
            homes=self._homes,
            assistance=self._assistance,
        )


def _read_element_query(body: Body, value: Any) -> ElementQuery:
    return ElementQuery(
        action_id=body.text("action_id"),
        value=value,
        channel=body.optional("channel"),
        message_ts=body.optional("message_ts"),
        view_id=body.optional("view_id"),
    )
