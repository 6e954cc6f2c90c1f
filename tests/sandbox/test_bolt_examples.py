"""The examples of Bolt for Python, run unchanged against the workspace; SLACK_EXAMPLES names their folder."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox

FOLDER = Path(os.environ.get("SLACK_EXAMPLES", "/nowhere"))
RUNNER = Path(__file__).parent / "run_example.py"
PATIENCE = 20.0
SIGNING_SECRET = "of-the-examples"  # noqa: S105  # made up for this test

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="SLACK_EXAMPLES does not name the folder of Bolt's examples"),
]

Json = dict[str, Any]


class Ana:
    """What she does, and what she sees on a page that stays open."""

    def __init__(self, people: Any, stream: aiohttp.ClientResponse) -> None:
        self._people = people
        self._stream = stream
        self._view: Json | None = None

    async def __call__(self, what: str, **body: Any) -> Json:
        answer: Json = await self._people(what, user="U0ANA", **body)
        return answer

    async def until(self, seen: Callable[[Json], Any]) -> Any:
        """What is looked for, as soon as the page shows it."""
        async with asyncio.timeout(PATIENCE):
            while self._view is None or not (found := seen(self._view)):
                line = await self._stream.content.readuntil(b"\n\n")
                if line.startswith(b"data: "):
                    self._view = json.loads(line.removeprefix(b"data: "))
        return found


Play = Callable[[Ana], Awaitable[None]]


def _messages(view: Json) -> list[Json]:
    roots = [message for place in (*view["channels"], *view["dms"]) for message in place["messages"]]
    return roots + [reply for root in roots for reply in root["replies"]]


def _says(part: str) -> Callable[[Json], list[Json]]:
    """The app's messages that contain this."""
    return lambda view: [each for each in _messages(view) if each["user"] == "U0TRIAGE" and part in each["text"]]


def mention(answer: str) -> Play:
    async def play(ana: Ana) -> None:
        await ana("say", channel="C0HELP", text="hello @Triage")
        await ana.until(_says(answer))

    return play


def command(name: str, answer: str) -> Play:
    async def play(ana: Ana) -> None:
        given = await ana("command", channel="C0HELP", command=name)
        assert given["ok"], given
        await ana.until(_says(answer))

    return play


async def _view(ana: Ana) -> Json:
    view: Json = await ana.until(lambda seen: seen["views"][-1] if seen["views"] else None)
    return view


async def _fill_in(ana: Ana, view: Json) -> None:
    """Write and choose something everywhere, and submit."""
    values: Json = {}
    for block in view["blocks"]:
        element = block["element"]
        value: str | list[str] = "some words"
        if "external" in element["type"]:
            offer = await ana("suggest", action_id=element["action_id"])
            groups = [option for group in offer.get("option_groups", ()) for option in group["options"]]
            chosen = [option["value"] for option in (*offer["options"], *groups)]
            assert chosen
            value = chosen if element["type"].startswith("multi_") else chosen[0]
        elif "select" in element["type"]:
            value = element["options"][0]["value"]
        values[block["block_id"]] = {element["action_id"]: value}
    submitted = await ana("submit", view_id=view["id"], values=values)
    assert submitted == {"ok": True}
    await ana.until(lambda seen: not seen["views"])


async def modal(ana: Ana) -> None:
    """The command opens a dialog with external menus; the button of its answer is pressed."""
    given = await ana("command", channel="C0HELP", command="/hello-bolt-python")
    assert given["ok"], given
    await _fill_in(ana, await _view(ana))
    pressed = await ana("press", action_id="a", channel="C0HELP")
    assert pressed["acked"]


async def shortcut_dialog(ana: Ana, callback_id: str) -> None:
    taken = await ana("shortcut", callback_id=callback_id)
    assert taken["acked"]
    await _fill_in(ana, await _view(ana))


async def old_dialog(ana: Ana) -> None:
    given = await ana("command", channel="C0HELP", command="/hello-bolt-python")
    assert given["response"] == {"text": "I got it!"}
    view = await _view(ana)
    await ana("suggest", action_id="types")
    values = {name: {name: "abc"} for name in ("loc_origin", "loc_destination")} | {"types": {"types": "UXD-342"}}
    refused = await ana("submit", view_id=view["id"], values=values)
    assert refused["errors"] == {"loc_origin": "Pickup Location must be longer than 3 characters"}
    values["loc_origin"]["loc_origin"] = "here"
    assert (await ana("submit", view_id=view["id"], values=values))["ok"]
    await ana.until(lambda seen: not seen["views"])


async def cancelled_dialog(ana: Ana) -> None:
    await ana("command", channel="C0HELP", command="/hello-bolt-python")
    assert (await ana("close", view_id=(await _view(ana))["id"]))["ok"]


async def reaction(ana: Ana) -> None:
    ts = (await ana("say", channel="C0HELP", text="a bug"))["ts"]
    await ana("react", channel="C0HELP", ts=ts, name="eyes")
    await ana.until(_says("OK!"))


async def words(ana: Ana) -> None:
    """New, deleted and uploaded: each is answered in its way."""
    await ana("say", channel="C0HELP", text="this is a test")
    await ana.until(_says("tests are important"))
    await ana("say", channel="C0HELP", text="a bug")
    await ana.until(_says("filing a ticket"))
    await ana("say", channel="C0HELP", text="anything")
    await ana.until(_says("what's up?"))
    await ana("upload", channel="C0HELP", name="a.txt", content="a")
    eyes = {"name": "eyes", "users": ["U0TRIAGE"]}
    await ana.until(lambda view: [each for each in _messages(view) if eyes in each["reactions"]])
    gone = (await ana("say", channel="C0GENERAL", text="a mistake, test"))["ts"]
    await ana("delete", channel="C0GENERAL", ts=gone)
    await ana.until(_says("You've deleted a message: a mistake"))


async def chat(ana: Ana) -> None:
    """A chat is greeted, offered prompts, and answered with what the person was looking at."""
    begun = await ana("assistant", channel="C0HELP")
    place = {"channel": begun["channel"], "thread_ts": begun["thread_ts"]}
    await ana.until(_says("how can I help you today?"))
    await ana.until(lambda view: [thread for dm in view["dms"] for thread in dm["threads"] if thread["prompts"]])
    await ana("context", thread_ts=begun["thread_ts"], channel="C0GENERAL")
    await ana("say", text="where is the help page", **place)
    await ana.until(_says("Please check this help page"))
    await ana("say", text="and else?", **place)
    await ana.until(_says("Ah, you're referring to <#C0GENERAL>"))


async def numbers(ana: Ana) -> None:
    """A button in the chat opens a dialog, and the app answers its own message with numbers."""
    begun = await ana("assistant", channel="C0HELP")
    await ana.until(_says("how can I help you today?"))
    pressed = await ana("press", action_id="assistant-generate-random-numbers")
    assert pressed["acked"]
    await _fill_in(ana, await _view(ana))
    await ana.until(_says("Here you are:"))
    await ana("say", text="hm", channel=begun["channel"], thread_ts=begun["thread_ts"])
    await ana.until(_says("I couldn't understand"))


HELLO = command("/hello-bolt-python", "Hi <@U0ANA>!")
UP, THERE = mention("What's up?"), mention("Hi there, <@U0ANA>!")


def _shortcut(callback_id: str) -> Play:
    return lambda ana: shortcut_dialog(ana, callback_id)


EXAMPLES: dict[str, tuple[Play, ...]] = {
    "app.py": (UP, HELLO),
    "app_authorize.py": (UP, HELLO),
    "async_app.py": (UP, HELLO),
    "async_app_authorize.py": (UP, HELLO),
    "dialogs_app.py": (old_dialog, cancelled_dialog),
    "events_app.py": (UP, reaction),
    "lazy_async_modals_app.py": (modal,),
    "lazy_modals_app.py": (modal,),
    "message_events.py": (words,),
    "modals_app.py": (modal,),
    "modals_app_typed.py": (modal,),
    "readme_app.py": (UP, _shortcut("callback-id-here")),
    "readme_async_app.py": (UP, HELLO, _shortcut("callback-id-here")),
    "socket_mode.py": (THERE, command("/hello-socket-mode", "Hi <@U0ANA>!"), _shortcut("socket-mode")),
    "socket_mode_async.py": (THERE, command("/hello-socket-mode", "Hi <@U0ANA>!"), _shortcut("socket-mode")),
    "socket_mode_async_healthcheck.py": (THERE,),
    "socket_mode_healthcheck.py": (THERE,),
    "assistants/app.py": (chat, mention("I can help you out")),
    "assistants/async_app.py": (chat, mention("I can help you out")),
    "assistants/interaction_app.py": (numbers, mention("I can help you out")),
    "assistants/async_interaction_app.py": (numbers, mention("I can help you out")),
}
"""What is played with each; a person meets every listener of it."""


@pytest.mark.parametrize("name", EXAMPLES)
async def test_an_example_of_bolt_works(people_of: Any, name: str) -> None:
    """Each listener answers as its source says."""
    source = (FOLDER / name).read_text()
    if "import Flask" in source and find_spec("flask") is None:
        pytest.skip("this example needs flask")
    port = _free_port()
    is_http = "SocketMode" not in source
    url = f"http://127.0.0.1:{port}/slack/events"
    over_http: dict[str, Any] = {"events_url": url, "signing_secret": SIGNING_SECRET}
    workspace = await Sandbox.start(**(over_http if is_http else {}))
    try:
        async with (
            aiohttp.ClientSession(workspace.url) as http,
            http.get("/human/stream", params={"user": "U0ANA"}) as stream,
            _running(FOLDER / name, workspace, port) as process,
        ):
            ana = Ana(people_of(http), stream)
            await (_listening(process, port) if is_http else ana.until(lambda view: view["app_active"]))
            for play in EXAMPLES[name]:
                await play(ana)
    finally:
        await workspace.close()


@asynccontextmanager
async def _running(example: Path, workspace: Sandbox, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    variables = {
        **os.environ,
        "SLACK_API_URL": workspace.api_url,
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_APP_TOKEN": APP_TOKEN,
        "SLACK_SIGNING_SECRET": SIGNING_SECRET,
        "MY_TOKEN": BOT_TOKEN,
        "PORT": str(port),
    }
    silent = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        sys.executable, RUNNER, example, env=variables, stdout=silent, stderr=silent
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _listening(process: asyncio.subprocess.Process, port: int) -> None:
    """Wait for the example's port; nothing tells when it opens."""
    async with asyncio.timeout(PATIENCE):
        while not await _is_open(port):
            assert process.returncode is None, "the example has ended"
            await asyncio.sleep(0.1)


async def _is_open(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
