"""Socket Mode: connections, acknowledgements, and what happens without them."""

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import delivery
from sandbox.seed import APP_TOKEN
from sandbox.server import Sandbox
from tests.sandbox.conftest import Bot, Clock, Line, People


async def test_hello_then_events(people: People, workspace: Sandbox, session: aiohttp.ClientSession) -> None:
    """A connection opens with hello, then each envelope has an id of its own."""
    client = AsyncWebClient(base_url=workspace.api_url)
    url = (await client.apps_connections_open(app_token=APP_TOKEN))["url"]
    async with session.ws_connect(url) as socket:
        hello = await socket.receive_json()
        assert (hello["type"], hello["connection_info"]) == ("hello", {"app_id": "A0TRIAGE"})
        await people("say", user="U0ANA", channel="C0HELP", text="hi")
        frame = await socket.receive_json()
        assert (frame["type"], frame["accepts_response_payload"]) == ("events_api", False)
        assert (frame["retry_attempt"], frame["retry_reason"]) == (0, "")
        assert frame["envelope_id"]


async def test_a_ticket_opens_one_connection(workspace: Sandbox, session: aiohttp.ClientSession) -> None:
    """The address from apps.connections.open works once; a made-up one never."""
    client = AsyncWebClient(base_url=workspace.api_url)
    url = (await client.apps_connections_open(app_token=APP_TOKEN))["url"]
    async with session.ws_connect(url):
        for refused in (url, url.replace("ticket=", "ticket=x")):
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await session.ws_connect(refused)


async def test_pings_are_answered_with_their_own_words(line: Line) -> None:
    """The Python client compares the pong with the ping it sent."""
    session = line.socket
    await session.ping(b"sdk-ping-pong:1.5")
    await session.send_str("this is no acknowledgement")
    await session.send_json(["nor", "this"])
    assert not session.closed


async def test_each_payload_goes_to_one_connection(people: People, dial: Callable[[], Any]) -> None:
    """Two connections share the payloads between them."""
    lines = [await dial(), await dial()]
    for n in range(4):
        await people("say", user="U0ANA", channel="C0HELP", text=str(n))
    heard = [[(await line.event())["text"], (await line.event())["text"]] for line in lines]
    assert sorted(text for texts in heard for text in texts) == ["0", "1", "2", "3"]


async def test_the_eleventh_connection_is_sent_away(
    dial: Callable[[], Any], workspace: Sandbox, session: aiohttp.ClientSession
) -> None:
    """Slack allows ten connections for each app."""
    lines = [await dial() for _ in range(10)]
    client = AsyncWebClient(base_url=workspace.api_url)
    url = (await client.apps_connections_open(app_token=APP_TOKEN))["url"]
    async with session.ws_connect(url) as socket:
        goodbye = await socket.receive_json()
        assert (goodbye["type"], goodbye["reason"]) == ("disconnect", "too_many_websockets")
    assert not any(line.socket.closed for line in lines)


@pytest.mark.hasty
async def test_an_event_that_is_not_acknowledged_comes_again(people: People, line: Line) -> None:
    """The same envelope comes again with its attempt and the reason, and after the acknowledgement no more."""
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    first, second = await line.frame(), await line.frame()
    assert first["envelope_id"] == second["envelope_id"]
    assert first["payload"] == second["payload"]
    assert (second["retry_attempt"], second["retry_reason"]) == (1, "timeout")
    await line.ack(second)
    await people("home", user="U0ANA")
    assert (await line.event())["type"] == "app_home_opened"


@pytest.mark.hasty
async def test_after_the_last_attempt_slack_gives_an_event_up(people: People, line: Line) -> None:
    """Three retries, then silence."""
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    assert [(await line.frame())["retry_attempt"] for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(line.socket.receive(), 0.3)


async def test_an_event_under_a_dying_connection_comes_again(people: People, dial: Callable[[], Any]) -> None:
    """What a lost connection carried goes to the next one."""
    first = await dial()
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    lost = await first.frame()
    await first.socket.close()
    again = await (await dial()).frame()
    assert again["envelope_id"] == lost["envelope_id"]
    assert (again["retry_attempt"], again["retry_reason"]) == (1, "connection_failed")


async def test_events_wait_for_a_connection(people: People, dial: Callable[[], Any]) -> None:
    """What happens while the app is away is delivered in order once it is back."""
    for n in range(3):
        await people("say", user="U0ANA", channel="C0HELP", text=str(n))
    line = await dial()
    assert [(await line.event())["text"] for _ in range(3)] == ["0", "1", "2"]


async def test_events_do_not_wait_for_ever(people: People, dial: Callable[[], Any], clock: Clock) -> None:
    """After two hours without a connection an event is dropped, as Slack does."""
    await people("say", user="U0ANA", channel="C0HELP", text="old")
    clock.now += delivery.TOO_LATE + 1
    await people("say", user="U0ANA", channel="C0HELP", text="new")
    assert (await (await dial()).event())["text"] == "new"


async def test_a_press_waits_for_the_connection_too(
    people: People, slack: AsyncWebClient, dial: Callable[[], Any], buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """A press made between two connections is delivered when the app is back in time."""
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(approve="d1"))
    pressing = asyncio.create_task(people("press", user="U0ANA", action_id="approve"))
    line = await dial()
    kinds = {}
    while "interactive" not in kinds:
        frame = await line.frame()
        kinds[frame["type"]] = frame
        await line.ack(frame)
    assert await pressing == {"ok": True, "acked": True}


async def test_a_duplicated_event_keeps_its_event_id(people: People, line: Line) -> None:
    """The fault sends the next event in two envelopes with one event_id."""
    await people.answer("/faults", {"kind": "duplicate", "times": 1})
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    first, second = await line.frame(), await line.frame()
    assert first["payload"] == second["payload"]
    assert first["envelope_id"] != second["envelope_id"]
    await line.ack(first)
    await line.ack(second)
    await people("say", user="U0ANA", channel="C0HELP", text="once")
    await people("home", user="U0ANA")
    assert [(await line.event())["type"], (await line.event())["type"]] == ["message", "app_home_opened"]


async def test_a_real_client_comes_back_after_a_disconnect(people: People, bot: Bot) -> None:
    """The disconnect fault closes the connections; the SDK opens a new one and misses nothing."""
    await people("say", user="U0ANA", channel="C0HELP", text="before")
    await bot.until(lambda body: body["event"]["text"] == "before")
    await people.answer("/faults", {"kind": "disconnect"})
    await people("say", user="U0ANA", channel="C0HELP", text="after")
    await bot.until(lambda body: body["event"]["text"] == "after")


@pytest.mark.parametrize("reason", ["refresh_requested", "link_disabled", "too_many_websockets"])
async def test_slack_says_why_it_ends_a_connection(people: People, dial: Callable[[], Any], reason: str) -> None:
    """A disconnect frame, then the end; what was under way goes to the next connection."""
    first = await dial()
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    await first.frame()
    await people.answer("/faults", {"kind": "disconnect", "reason": reason})
    goodbye = await first.frame()
    assert (goodbye["type"], goodbye["reason"]) == ("disconnect", reason)
    assert (await first.socket.receive()).type is aiohttp.WSMsgType.CLOSE
    assert (await (await dial()).event())["text"] == "hi"


async def test_a_warning_leaves_ten_seconds(people: People, line: Line, workspace: Sandbox) -> None:
    """Until then the connection works; after them it is refreshed."""
    await people.answer("/faults", {"kind": "disconnect", "reason": "warning"})
    assert (await line.frame())["reason"] == "warning"
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    assert (await line.event())["text"] == "hi"
    workspace.advance(10)
    while (frame := await line.frame())["type"] != "disconnect":
        pass
    assert frame["reason"] == "refresh_requested"


@pytest.mark.parametrize(("extra", "life"), [("", 3600), ("&debug_reconnects=true", 360)])
async def test_a_connection_does_not_live_for_ever(
    workspace: Sandbox, session: aiohttp.ClientSession, extra: str, life: int
) -> None:
    """Slack wants it opened anew after an hour, with debug_reconnects after six minutes."""
    client = AsyncWebClient(base_url=workspace.api_url)
    url = (await client.apps_connections_open(app_token=APP_TOKEN))["url"]
    async with session.ws_connect(url + extra) as socket:
        hello = await socket.receive_json()
        assert hello["debug_info"]["approximate_connection_time"] == life
        workspace.advance(life - 10)
        assert (await socket.receive_json())["reason"] == "warning"
        workspace.advance(10)
        assert (await socket.receive_json())["reason"] == "refresh_requested"


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "too_many_websockets"])
async def test_a_real_client_comes_back_after_each_goodbye(people: People, bot: Bot, reason: str) -> None:
    """The SDK opens a new connection by itself and misses nothing."""
    await people("say", user="U0ANA", channel="C0HELP", text="before")
    await bot.until(lambda body: body["event"]["text"] == "before")
    await people.answer("/faults", {"kind": "disconnect", "reason": reason})
    await people("say", user="U0ANA", channel="C0HELP", text="after")
    await bot.until(lambda body: body["event"]["text"] == "after")


async def test_slack_pings_its_clients() -> None:
    """A client that does not answer pings is cut off, one that does stays."""
    workspace = await Sandbox.start(ping_every=0.05)
    client = AsyncWebClient(base_url=workspace.api_url)
    url = (await client.apps_connections_open(app_token=APP_TOKEN))["url"]
    async with aiohttp.ClientSession() as session, session.ws_connect(url, autoping=False) as socket:
        await socket.receive_json()
        ping = await asyncio.wait_for(socket.receive(), 5)
        assert ping.type is aiohttp.WSMsgType.PING
        await socket.pong(ping.data)
        assert (await asyncio.wait_for(socket.receive(), 5)).type is aiohttp.WSMsgType.PING
    await workspace.close()
