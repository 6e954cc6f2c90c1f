"""Fixtures around one running workspace: a person, a real Slack client, a bare Socket Mode line, a small Bolt app."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox

PATIENCE = 5.0
"""Seconds after which something that should have happened counts as missing."""


SOON = 0.15


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "granted(*scopes): the scopes of the manifest that the workspace obeys")
    config.addinivalue_line("markers", "founding(**options): how the workspace begins")
    config.addinivalue_line("markers", "hasty: the workspace waits for an acknowledgement only briefly")


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


class People:
    """The human side of the workspace."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def __call__(self, what: str, **body: Any) -> dict[str, Any]:
        status, answer = await self.answer(f"/human/{what}", body)
        assert status == 200, answer
        return answer

    async def answer(self, path: str, body: Any, **headers: str) -> tuple[int, dict[str, Any]]:
        async with self.session.post(path, json=body, headers=headers) as answer:
            return answer.status, await answer.json()

    async def view(self, user: str = "U0ANA") -> dict[str, Any]:
        async with self.session.get("/human/view", params={"user": user}) as answer:
            view: dict[str, Any] = await answer.json()
            return view

    async def channel(self, user: str = "U0ANA", channel: str = "C0HELP") -> list[dict[str, Any]]:
        view = await self.view(user)
        return next(each["messages"] for each in (*view["channels"], *view["dms"]) if each["id"] == channel)


class Line:
    """A Socket Mode connection that acknowledges only what it is told to."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def frame(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.socket.receive_json(), PATIENCE)

    async def ack(self, frame: dict[str, Any], payload: dict[str, Any] | None = None) -> None:
        answer = {"envelope_id": frame["envelope_id"]}
        await self.socket.send_json(answer if payload is None else {**answer, "payload": payload})

    async def payload(self) -> dict[str, Any]:
        """The next payload, acknowledged."""
        frame = await self.frame()
        await self.ack(frame)
        payload: dict[str, Any] = frame["payload"]
        return payload

    async def event(self) -> dict[str, Any]:
        event: dict[str, Any] = (await self.payload())["event"]
        return event


class Bot:
    """A small Bolt app that remembers what reached it and answers as the test set it up."""

    def __init__(self, client: AsyncWebClient) -> None:
        self.app = AsyncApp(client=client)
        self.bodies: list[dict[str, Any]] = []
        self.dialog: dict[str, Any] | None = None
        self.submission: dict[str, Any] = {}
        self.command: str | None = None
        self._news = asyncio.Condition()
        self.app.event(re.compile(".+"))(self._event)
        self.app.action(re.compile(".+"))(self._action)
        self.app.view(re.compile(".+"))(self._view)
        self.app.view_closed(re.compile(".+"))(self._closed)
        self.app.command("/triage")(self._command)

    async def until(self, arrived: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first body of this sort, as soon as it is there."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE), self._news:
                await self._news.wait_for(lambda: any(map(arrived, self.bodies)))
        body = next(filter(arrived, self.bodies), None)
        assert body is not None, f"it did not arrive in {PATIENCE} s; there came {self.bodies}"
        return body

    async def _note(self, body: dict[str, Any]) -> None:
        async with self._news:
            self.bodies.append(body)
            self._news.notify_all()

    async def _event(self, body: dict[str, Any]) -> None:
        await self._note(body)

    async def _action(self, ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        if self.dialog is not None:
            await client.views_open(trigger_id=body["trigger_id"], view=self.dialog)
        await ack()
        await self._note(body)

    async def _view(self, ack: Any, body: dict[str, Any]) -> None:
        await ack(**self.submission)
        await self._note(body)

    async def _closed(self, ack: Any, body: dict[str, Any]) -> None:
        await ack()
        await self._note(body)

    async def _command(self, ack: Any, body: dict[str, Any]) -> None:
        if self.command is not None:
            await ack(self.command)
        await self._note(body)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def workspace(clock: Clock, request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """A workspace in memory; a test marked `hasty` has an app that is late after a moment, one with a `founding` what
    that mark says."""
    ack_timeout = SOON if request.node.get_closest_marker("hasty") else PATIENCE
    wish = request.node.get_closest_marker("founding")
    wishes = wish.kwargs if wish else {}
    running = await Sandbox.start(clock=clock, ack_timeout=ack_timeout, retry_after=(0.0, 0.0, 0.0), **wishes)
    yield running
    await running.close()


@pytest.fixture
async def session(workspace: Sandbox) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(workspace.url) as http:
        yield http


@pytest.fixture
def people(session: aiohttp.ClientSession) -> People:
    return People(session)


@pytest.fixture
def people_of() -> type[People]:
    """For tests that start a workspace of their own: `people_of(session)`."""
    return People


@pytest.fixture
def slack(workspace: Sandbox) -> AsyncWebClient:
    return AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url)


@pytest.fixture
def dial(workspace: Sandbox, session: aiohttp.ClientSession) -> Callable[[], Awaitable[Line]]:
    """Opens one more Socket Mode connection, its hello already read."""

    async def open_line() -> Line:
        client = AsyncWebClient(base_url=workspace.api_url)
        opened = await client.apps_connections_open(app_token=APP_TOKEN)
        socket = await session.ws_connect(opened["url"])
        assert (await socket.receive_json())["type"] == "hello"
        return Line(socket)

    return open_line


@pytest.fixture
async def line(dial: Callable[[], Awaitable[Line]]) -> Line:
    return await dial()


@pytest.fixture
async def bot(slack: AsyncWebClient) -> AsyncIterator[Bot]:
    running = Bot(slack)
    handler = AsyncSocketModeHandler(running.app, APP_TOKEN)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
    yield running
    await handler.close_async()  # type: ignore[no-untyped-call]  # the same


def button(action_id: str, value: str | None = None, **more: Any) -> dict[str, Any]:
    text = {"type": "plain_text", "text": action_id}
    return {"type": "button", "action_id": action_id, "text": text, **({"value": value} if value else {}), **more}


@pytest.fixture
def buttons() -> Callable[..., list[dict[str, Any]]]:
    """One actions block with these buttons, `{action_id: value}`."""

    def block(**values: str) -> list[dict[str, Any]]:
        elements = [button(action_id, value) for action_id, value in values.items()]
        return [{"type": "actions", "block_id": "row", "elements": elements}]

    return block


@pytest.fixture
def modal() -> dict[str, Any]:
    """A dialog with one required text, pre-filled, and one optional choice."""

    def words(text: str) -> dict[str, str]:
        return {"type": "plain_text", "text": text}

    why = {"type": "static_select", "action_id": "pick", "options": [{"text": words("Tone"), "value": "tone"}]}
    text = {"type": "plain_text_input", "action_id": "text", "initial_value": "as it was"}
    return {
        "type": "modal",
        "callback_id": "edit",
        "private_metadata": json.dumps({"draft": "d1"}),
        "title": words("Edit"),
        "submit": words("Save"),
        "blocks": [
            {"type": "input", "block_id": "reply", "label": words("Reply"), "element": text},
            {"type": "input", "block_id": "why", "label": words("Why"), "element": why, "optional": True},
        ],
    }


@pytest.fixture
def every_element() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Blocks with each element that can be pressed, and a value that each takes."""
    words = {"type": "plain_text", "text": "One"}
    option = {"text": words, "value": "one"}
    choices: dict[str, tuple[dict[str, Any], Any]] = {
        "static_select": ({"options": [option], "placeholder": words}, "one"),
        "multi_static_select": ({"option_groups": [{"label": words, "options": [option]}]}, ["one"]),
        "users_select": ({}, "U0OPS"),
        "multi_users_select": ({}, ["U0OPS"]),
        "channels_select": ({}, "C0HELP"),
        "multi_channels_select": ({}, ["C0HELP"]),
        "conversations_select": ({"initial_conversation": "C0HELP"}, "C0GENERAL"),
        "multi_conversations_select": ({}, ["C0HELP"]),
        "overflow": ({"options": [option]}, "one"),
        "radio_buttons": ({"options": [option], "initial_option": option}, "one"),
        "checkboxes": ({"options": [option]}, ["one"]),
        "datepicker": ({"initial_date": "2026-01-01"}, "2026-02-01"),
        "timepicker": ({}, "12:30"),
        "datetimepicker": ({}, 1_700_000_000),
        "button": ({"text": words, "style": "primary"}, None),
    }
    elements = [{"type": kind, "action_id": kind, **more} for kind, (more, _) in choices.items()]
    return (
        [{"type": "actions", "block_id": "row", "elements": elements}],
        {kind: value for kind, (_, value) in choices.items()},
    )
