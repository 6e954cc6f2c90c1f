"""HTTP mode: signed POSTs to the app's address, its answers, and the attempts that follow when it fails."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import parse_qsl

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox
from tests.sandbox.conftest import People

SECRET = "made-up signing secret"  # noqa: S105  # of these tests only


class App:
    """An app's address: it remembers what came, and answers as it is told to."""

    def __init__(self) -> None:
        self.requests: asyncio.Queue[tuple[dict[str, str], bytes]] = asyncio.Queue()
        self.answers: list[web.Response] = []
        self.challenge = True
        self.url = ""

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.read()
        if self.challenge and b'"url_verification"' in body:
            return web.Response(text=json.loads(body)["challenge"])
        self.requests.put_nowait((dict(request.headers), body))
        return self.answers.pop(0) if self.answers else web.Response()

    async def next(self) -> tuple[dict[str, str], bytes]:
        return await asyncio.wait_for(self.requests.get(), 5)


@pytest.fixture
async def app() -> AsyncIterator[App]:
    running = App()
    served = web.Application()
    served.router.add_post("/slack/events", running.handle)
    runner = web.AppRunner(served, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    running.url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    yield running
    await runner.cleanup()


@pytest.fixture
async def workspace(app: App) -> AsyncIterator[Sandbox]:
    running = await Sandbox.start(events_url=app.url, signing_secret=SECRET)
    yield running
    await running.close()


@pytest.fixture
async def patient(app: App, people_of: type[People]) -> AsyncIterator[tuple[Sandbox, People]]:
    """The workspace gives the app all the time it wants, so that tests can move the clock while it answers."""
    running = await Sandbox.start(events_url=app.url, signing_secret=SECRET, ack_timeout=1e9)
    async with aiohttp.ClientSession(running.url) as session:
        yield running, people_of(session)
    await running.close()


async def _move_until_asked(app: App, workspace: Sandbox) -> int:
    """Move the clock on until the app is asked again; the answer is by how many seconds."""
    seconds = 0
    async with asyncio.timeout(5):
        while app.requests.empty():
            workspace.advance(1)
            seconds += 1
            await asyncio.sleep(0)
    return seconds


def _is_signed(headers: dict[str, str], body: bytes) -> bool:
    return SignatureVerifier(SECRET).is_valid_request(body, headers)


async def test_an_event_is_posted_signed(people: People, app: Any) -> None:
    """The SDK's own verifier takes it; a first attempt bears no retry headers."""
    await people("say", user="U0ANA", channel="C0HELP", text="hi <@U0TRIAGE>")
    for kind in ("message", "app_mention"):
        headers, body = await app.next()
        assert _is_signed(headers, body)
        assert json.loads(body)["event"]["type"] == kind
        assert headers["Content-Type"] == "application/json"
        assert "X-Slack-Retry-Num" not in headers


async def test_the_address_has_to_give_the_challenge_back(app: Any, patient: Any) -> None:
    """Until it does it gets no events, and then it gets them with the next attempt."""
    workspace, people = patient
    app.challenge = False
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    for _ in range(2):
        headers, body = await app.next()
        assert json.loads(body)["type"] == "url_verification"
        assert _is_signed(headers, body)
    app.challenge = True
    await _move_until_asked(app, workspace)
    headers, body = await app.next()
    assert json.loads(body)["event"]["text"] == "hi"
    assert headers["X-Slack-Retry-Num"] == "2"


@pytest.mark.parametrize(
    "answer",
    [{"text": "{challenge}"}, {"text": "challenge={challenge}"}, {"text": '{{"challenge": "{challenge}"}}'}],
    ids=["text", "form", "json"],
)
async def test_the_challenge_comes_back_in_any_of_three_ways(people: People, app: Any, answer: Any) -> None:
    """As bare text, as a form, as JSON."""
    app.challenge = False
    answers: list[str] = []

    async def give_back(request: web.Request) -> web.Response:
        body = await request.json()
        if body["type"] == "url_verification":
            return web.Response(text=answer["text"].format(challenge=body["challenge"]))
        answers.append(body["event"]["text"])
        app.requests.put_nowait(({}, b""))
        return web.Response()

    app.handle = give_back
    served = web.Application()
    served.router.add_post("/", give_back)
    runner = web.AppRunner(served, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    workspace = await Sandbox.start(events_url=f"http://127.0.0.1:{runner.addresses[0][1]}/", signing_secret=SECRET)
    async with aiohttp.ClientSession(workspace.url) as session:
        await session.post("/human/say", json={"user": "U0ANA", "channel": "C0HELP", "text": "hi"})
        await app.next()
    assert answers == ["hi"]
    await workspace.close()
    await runner.cleanup()


async def test_what_fails_comes_again_and_says_why(app: Any, patient: Any) -> None:
    """Immediately, after a minute, after five; then the event is given up."""
    workspace, people = patient
    app.answers = [web.Response(status=500) for _ in range(4)]
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    seen = []
    for at_least in (0, 0, 60, 300):
        assert at_least == 0 or await _move_until_asked(app, workspace) >= at_least
        headers, _ = await app.next()
        seen.append((headers.get("X-Slack-Retry-Num"), headers.get("X-Slack-Retry-Reason")))
    assert seen == [(None, None), ("1", "http_error"), ("2", "http_error"), ("3", "http_error")]
    await people("say", user="U0ANA", channel="C0HELP", text="next")
    assert json.loads((await app.next())[1])["event"]["text"] == "next"


async def test_an_app_can_ask_for_no_retry(people: People, app: Any) -> None:
    """x-slack-no-retry on an error ends it."""
    app.answers = [web.Response(status=503, headers={"X-Slack-No-Retry": "1"})]
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    await app.next()
    await people("say", user="U0ANA", channel="C0HELP", text="next")
    assert json.loads((await app.next())[1])["event"]["text"] == "next"


async def test_a_redirect_is_not_followed(people: People, app: Any) -> None:
    """It could lead away from this machine."""
    app.answers = [web.Response(status=302, headers={"Location": app.url.replace("events", "elsewhere")})]
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    await app.next()
    assert (await app.next())[0]["X-Slack-Retry-Reason"] == "too_many_redirects"


async def test_a_slow_app_is_given_three_seconds(people: People, app: Any, workspace: Sandbox) -> None:
    """An answer that is not there in time counts as none."""
    held, arrived = asyncio.Event(), asyncio.Event()
    handle = app.handle

    async def slow(request: web.Request) -> web.Response:
        answer: web.Response = await handle(request)
        if not app.requests.empty():
            arrived.set()
            await held.wait()
        return answer

    served = web.Application()
    served.router.add_post("/", slow)
    runner = web.AppRunner(served, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    own = await Sandbox.start(events_url=f"http://127.0.0.1:{runner.addresses[0][1]}/", signing_secret=SECRET)
    async with aiohttp.ClientSession(own.url) as session:
        await session.post("/human/say", json={"user": "U0ANA", "channel": "C0HELP", "text": "hi"})
        await asyncio.wait_for(arrived.wait(), 5)
        await app.next()
        own.advance(3)
        assert (await app.next())[0]["X-Slack-Retry-Reason"] == "http_timeout"
    held.set()
    await own.close()
    await runner.cleanup()


async def test_an_app_that_is_not_there_is_tried_again() -> None:
    """Nobody listens: the reason is connection_failed, and a person's act is not answered."""
    workspace = await Sandbox.start(events_url="http://127.0.0.1:9/", signing_secret=SECRET)
    async with aiohttp.ClientSession(workspace.url) as session:
        body = {"user": "U0ANA", "channel": "C0HELP", "command": "/triage"}
        answer = await session.post("/human/command", json=body)
        assert await answer.json() == {"ok": False, "error": "operation_timeout"}
    await workspace.close()


async def test_a_command_is_a_form_and_is_answered_in_the_body(people: People, app: Any) -> None:
    """Plain text or JSON, shown to whoever asked."""
    app.answers = [web.Response(text="the queue is empty"), web.json_response({"text": "as JSON"})]
    for expected in ("the queue is empty", "as JSON"):
        answer = await people("command", user="U0ANA", channel="C0HELP", command="/triage", text="a & b")
        assert answer["response"]["text"] == expected
        headers, body = await app.next()
        fields = dict(parse_qsl(body.decode()))
        assert headers["Content-Type"] == "application/x-www-form-urlencoded"
        assert _is_signed(headers, body)
        assert (fields["command"], fields["text"], fields["user_id"]) == ("/triage", "a & b", "U0ANA")


async def test_a_press_is_a_form_with_one_field(
    people: People, slack: AsyncWebClient, app: Any, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """`payload` holds the JSON; an error of the app is no acknowledgement."""
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(go="1"))
    await app.next()
    app.answers = [web.Response(), web.Response(status=500)]
    for acked in (True, False):
        assert (await people("press", user="U0ANA", action_id="go"))["acked"] is acked
        payload = json.loads(dict(parse_qsl((await app.next())[1].decode()))["payload"])
        assert payload["actions"][0]["action_id"] == "go"


async def test_a_socket_of_an_app_in_http_mode_is_turned_away(
    workspace: Sandbox, session: aiohttp.ClientSession
) -> None:
    """Slack says link_disabled."""
    client = AsyncWebClient(base_url=workspace.api_url)
    url = (await client.apps_connections_open(app_token=APP_TOKEN))["url"]
    async with session.ws_connect(url) as socket:
        assert (await socket.receive_json())["reason"] == "link_disabled"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/slack/events",
        "http://10.0.0.1/",
        "http://127.0.0.1.example.com/",
        "https://hooks.example.com",
        "http://0.0.0.0/",
        "ftp://127.0.0.1/",
        "127.0.0.1:3000",
        "",
    ],
)
async def test_only_an_address_on_this_machine_is_taken(url: str) -> None:
    """Whatever people say here never leaves this machine."""
    with pytest.raises(ValueError, match="on this machine"):
        await Sandbox.start(events_url=url, signing_secret=SECRET)


async def test_http_mode_needs_a_secret() -> None:
    """Unsigned requests would teach an app not to check."""
    with pytest.raises(ValueError, match="signing secret"):
        await Sandbox.start(events_url="http://127.0.0.1:9/")


async def test_a_bolt_app_over_http() -> None:
    """A real Bolt app verifies the signature, takes the event, and answers a command."""
    heard: asyncio.Queue[Any] = asyncio.Queue()
    bolt = AsyncApp(client=AsyncWebClient(token=BOT_TOKEN), signing_secret=SECRET)

    async def note(body: dict[str, Any]) -> None:
        heard.put_nowait(body["event"]["text"])

    async def answer(ack: Any) -> None:
        await ack("from Bolt")

    bolt.event(re.compile(".+"))(note)
    bolt.command("/triage")(answer)
    runner = web.AppRunner(bolt.web_app(), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    workspace = await Sandbox.start(events_url=url, signing_secret=SECRET)
    bolt.client.base_url = workspace.api_url
    async with aiohttp.ClientSession(workspace.url) as session:
        await session.post("/human/say", json={"user": "U0ANA", "channel": "C0HELP", "text": "hi"})
        assert await asyncio.wait_for(heard.get(), 5) == "hi"
        body = {"user": "U0ANA", "channel": "C0HELP", "command": "/triage"}
        answered = await (await session.post("/human/command", json=body)).json()
        assert answered["response"]["text"] == "from Bolt"
    await workspace.close()
    await runner.cleanup()
