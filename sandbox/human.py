"""The human side: what a person can do in Slack, as JSON over HTTP. The page and the tests use the same calls."""

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from sandbox.buttons import Wish
from sandbox.dialogs import Dialogs
from sandbox.events import Events
from sandbox.interactions import Interactions
from sandbox.models import Json, Refused
from sandbox.screen import screen
from sandbox.stream import Streams
from sandbox.workspace import Workspace

Act = Callable[["Body"], Awaitable[Json]]

_NOT_THERE = ("not_found", "not_in_channel")


class Body:
    """The fields of a request; what is missing or misshapen is named in the answer."""

    def __init__(self, fields: Json, workspace: Workspace) -> None:
        self._fields = fields
        self._workspace = workspace

    @property
    def user(self) -> str:
        person = self._workspace.person(self.text("user"))
        if person.is_bot:
            raise Refused("user_is_a_bot")
        return person.id

    def text(self, name: str) -> str:
        value = self.optional(name)
        if value is None or value == "":
            raise Refused(f"missing_field: {name}")
        return value

    def optional(self, name: str) -> str | None:
        value = self._fields.get(name)
        if value is not None and not isinstance(value, str):
            raise Refused(f"not_a_text: {name}")
        return value

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        value = self._fields.get(name, default)
        if not isinstance(value, bool):
            raise Refused(f"not_a_flag: {name}")
        return value

    def structure(self, name: str) -> Json:
        value = self._fields.get(name, {})
        if not isinstance(value, dict):
            raise Refused(f"not_an_object: {name}")
        return value

    def anything(self, name: str) -> Any:
        return self._fields.get(name)


class Human:
    """The routes under /human."""

    def __init__(self, *, workspace: Workspace, dialogs: Dialogs, interactions: Interactions, events: Events) -> None:
        self._workspace = workspace
        self._dialogs = dialogs
        self._interactions = interactions
        self._events = events
        self.streams = Streams(draw=self._screen)

    def routes(self) -> list[web.RouteDef]:
        acts: dict[str, Act] = {
            "say": self._say,
            "edit": self._edit,
            "delete": self._delete,
            "react": self._react,
            "press": self._press,
            "submit": self._submit,
            "close": self._close,
            "command": self._command,
            "presence": self._presence,
            "home": self._home,
        }
        posts = [web.post(f"/human/{name}", self._handler(act)) for name, act in acts.items()]
        return [
            *posts,
            web.get("/human/view", self._view),
            web.get("/human/stream", self._stream),
            web.get("/human/people", self._people),
        ]

    def _handler(self, act: Act) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                return web.json_response(await act(Body(await body_of(request), self._workspace)))
            except Refused as refused:
                return refusal(refused)

        return handle

    async def _say(self, body: Body) -> Json:
        user, channel, text = body.user, body.text("channel"), body.text("text")
        message = self._workspace.post(channel, text, user=user, thread_ts=body.optional("thread_ts"))
        return {"ok": True, "ts": message.ts, "channel": message.channel}

    async def _edit(self, body: Body) -> Json:
        user, channel, ts = body.user, body.text("channel"), body.text("ts")
        self._workspace.edit(channel, ts, user=user, text=body.text("text"))
        return {"ok": True}

    async def _delete(self, body: Body) -> Json:
        self._workspace.delete(body.text("channel"), body.text("ts"), user=body.user)
        return {"ok": True}

    async def _react(self, body: Body) -> Json:
        user, channel, ts = body.user, body.text("channel"), body.text("ts")
        remove = body.flag("remove", default=False)
        self._workspace.react(channel, ts, body.text("name"), user=user, remove=remove)
        return {"ok": True}

    async def _press(self, body: Body) -> Json:
        wish = Wish(
            action_id=body.text("action_id"),
            value=body.anything("value"),
            channel=body.optional("channel"),
            message_ts=body.optional("message_ts"),
            view_id=body.optional("view_id"),
        )
        return await self._interactions.press(body.user, wish)

    async def _submit(self, body: Body) -> Json:
        return await self._interactions.submit(body.user, body.text("view_id"), body.structure("values"))

    async def _close(self, body: Body) -> Json:
        return await self._interactions.close(body.user, body.text("view_id"))

    async def _command(self, body: Body) -> Json:
        command = body.text("command")
        if not command.startswith("/"):
            raise Refused("invalid_command")
        text = body.optional("text") or ""
        return await self._interactions.command(body.user, body.text("channel"), command, text)

    async def _presence(self, body: Body) -> Json:
        user = body.user
        if body.flag("active"):
            self._workspace.away.discard(user)
        else:
            self._workspace.away.add(user)
        return {"ok": True}

    async def _home(self, body: Body) -> Json:
        self._events.home_opened(body.user, None)
        return {"ok": True}

    async def _view(self, request: web.Request) -> web.Response:
        try:
            return web.json_response(self._screen(self._viewer(request)))
        except Refused as refused:
            return refusal(refused)

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        try:
            user = self._viewer(request)
        except Refused as refused:
            return refusal(refused)
        return await self.streams.serve(request, user)

    async def _people(self, request: web.Request) -> web.Response:
        people = [
            {"id": person.id, "name": person.name, "title": person.title, "is_bot": person.is_bot}
            for person in self._workspace.people.values()
        ]
        return web.json_response({"people": people})

    def _viewer(self, request: web.Request) -> str:
        return Body(dict(request.query), self._workspace).user

    def _screen(self, user: str) -> Json:
        return screen(user, workspace=self._workspace, dialogs=self._dialogs)


async def body_of(request: web.Request) -> Json:
    """A JSON object, however it is labelled."""
    try:
        body = await request.json()
    except ValueError:
        raise Refused("invalid_json") from None
    if not isinstance(body, dict):
        raise Refused("json_not_object")
    return body


def refusal(refused: Refused) -> web.Response:
    """404 for what is not there for this person, 400 for what makes no sense."""
    body: Json = {"ok": False, "error": refused.error}
    if refused.messages:
        body["messages"] = list(refused.messages)
    return web.json_response(body, status=404 if refused.error.endswith(_NOT_THERE) else 400)
