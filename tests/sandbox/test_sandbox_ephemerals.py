"""What one person alone sees, and how it goes: on reload, while away, in quiet threads, and by response_url."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.sandbox.conftest import Line, People


class Page:
    """One open page of a person."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    async def frame(self) -> dict[str, Any]:
        line = await asyncio.wait_for(self.stream.content.readuntil(b"\n\n"), 5)
        frame: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
        return frame

    async def texts(self) -> list[str]:
        return [message["text"] for message in (await self.frame())["channels"][0]["messages"]]


@pytest.fixture
async def load(session: aiohttp.ClientSession) -> AsyncIterator[Callable[..., Awaitable[Page]]]:
    """Opens the page as a person; each call is one more window."""
    open_streams = []

    async def open_page(user: str = "U0OPS") -> Page:
        stream = await session.get("/human/stream", params={"user": user})
        open_streams.append(stream)
        return Page(stream)

    yield open_page
    for stream in open_streams:
        stream.close()


async def test_an_ephemeral_is_gone_after_a_reload(slack: AsyncWebClient, load: Any) -> None:
    """It stands on the page that was open when it came, and on none that is loaded later."""
    page = await load()
    assert await page.texts() == []
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst")
    assert await page.texts() == ["psst"]
    again = await load()
    assert await again.texts() == []
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="later")
    assert await again.texts() == ["later"]
    assert await page.texts() == ["psst", "later"]


async def test_what_no_page_shows_any_more_cannot_be_pressed(
    people: People, slack: AsyncWebClient, load: Any, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """A button under an ephemeral goes with it."""
    page = await load()
    await page.frame()
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst", blocks=buttons(dismiss="d1"))
    await page.frame()
    page.stream.close()
    again = await load()
    await again.frame()
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    assert await again.texts() == ["hi"]
    status, _ = await people.answer("/human/press", {"user": "U0OPS", "action_id": "dismiss"})
    assert status == 404


async def test_a_view_without_a_page_sees_what_came_since_the_last_load(
    people: People, slack: AsyncWebClient, load: Any
) -> None:
    """Tests that only ask for the view see ephemerals until their person opens a page."""
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst")
    assert [each["text"] for each in await people.channel("U0OPS")] == ["psst"]
    await (await load()).frame()
    assert await people.channel("U0OPS") == []


async def test_an_ephemeral_in_a_thread_needs_replies(people: People, slack: AsyncWebClient) -> None:
    """Slack says ok, and shows it only where the thread is alive already."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    quiet = await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="lost", thread_ts=root)
    assert quiet["ok"]
    await people("say", user="U0ANA", channel="C0HELP", text="more", thread_ts=root)
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="seen", thread_ts=root)
    (message,) = await people.channel("U0OPS")
    assert [reply["text"] for reply in message["replies"]] == ["more", "seen"]


async def test_an_ephemeral_is_in_no_history_and_no_event(slack: AsyncWebClient, line: Line, people: People) -> None:
    """Nobody but that person's page ever learns of it."""
    sent = await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst")
    assert set(sent.data) == {"ok", "message_ts"}
    assert (await slack.conversations_history(channel="C0HELP"))["messages"] == []
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    assert (await line.event())["text"] == "hi"


@pytest.mark.parametrize("method", ["chat.update", "chat.delete", "reactions.add", "chat.getPermalink"])
async def test_its_ts_is_good_for_nothing(slack: AsyncWebClient, method: str) -> None:
    """Whatever is done to it by its ts, there is no such message."""
    ts = (await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst"))["message_ts"]
    names = {"reactions.add": "timestamp", "chat.getPermalink": "message_ts"}
    arguments = {"channel": "C0HELP", names.get(method, "ts"): ts, "text": "louder", "name": "eyes"}
    with pytest.raises(SlackApiError, match="message_not_found"):
        await slack.api_call(method, json=arguments)


async def test_only_its_response_url_changes_it(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]], load: Any
) -> None:
    """Replaced where it is still shown; on a page loaded since there is nothing to replace."""
    page = await load()
    await page.frame()
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst", blocks=buttons(dismiss="d1"))
    await page.frame()
    pressing = asyncio.create_task(people("press", user="U0OPS", action_id="dismiss"))
    payload = await line.payload()
    await pressing
    assert "message" not in payload
    answer = AsyncWebhookClient(payload["response_url"])
    assert (await answer.send(text="done", replace_original=True)).status_code == 200
    assert await page.texts() == ["done"]
    page.stream.close()
    again = await load()
    await again.frame()
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    await again.frame()
    assert (await answer.send(text="too late", replace_original=True)).status_code == 200
    assert [each["text"] for each in await people.channel("U0OPS")] == ["hi"]


async def test_a_response_url_can_speak_to_the_channel(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """in_channel is for everybody, the default for one person, and an empty answer is refused."""
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(go="1"))
    pressing = asyncio.create_task(people("press", user="U0OPS", action_id="go"))
    payloads = [await line.payload(), await line.payload()]
    await pressing
    answer = AsyncWebhookClient(next(each["response_url"] for each in payloads if "response_url" in each))
    await answer.send(text="to you")
    await answer.send(text="to all", response_type="in_channel")
    assert (await answer.send(text="")).status_code == 404
    assert [each["text"] for each in await people.channel("U0OPS")] == ["card", "to you", "to all"]
    assert [each["text"] for each in await people.channel("U0ANA")] == ["card", "to all"]
