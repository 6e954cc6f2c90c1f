"""Faults between the app and the workspace, and the list of calls that tells of them."""

import json
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.seed import BOT_TOKEN
from sandbox.server import Sandbox
from tests.sandbox.conftest import People

if TYPE_CHECKING:
    from slack_sdk.http_retry.async_handler import AsyncRetryHandler


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "fire"}, "invalid_fault_kind"),
        ({}, "invalid_fault_kind"),
        ({"kind": "500", "times": 0}, "invalid_times"),
        ({"kind": "500", "method": 7}, "invalid_method"),
        ({"kind": "delay", "seconds": "long"}, "invalid_seconds"),
        ({"kind": "disconnect", "reason": "boredom"}, "invalid_reason"),
    ],
)
async def test_a_fault_that_makes_no_sense(people: People, fault: Any, error: str) -> None:
    """Faults are checked when they are ordered."""
    assert await people.answer("/faults", fault) == (400, {"ok": False, "error": error})


async def test_faults_hit_their_method_as_often_as_ordered(people: People, slack: AsyncWebClient) -> None:
    """A 500 befalls the named method alone, n times, and nothing is done."""
    await people.answer("/faults", {"method": "chat.postMessage", "kind": "500", "times": 2})
    await slack.auth_test()
    for _ in range(2):
        with pytest.raises(SlackApiError) as failed:
            await slack.chat_postMessage(channel="C0HELP", text="a")
        assert failed.value.response.status_code == 500
    await slack.chat_postMessage(channel="C0HELP", text="b")
    assert [message["text"] for message in await people.channel()] == ["b"]


async def test_a_429_says_when_to_come_back(people: People, workspace: Sandbox) -> None:
    """The SDK's own handler waits as told and then succeeds."""
    await people.answer("/faults", {"kind": "429", "seconds": 0})
    handlers: list[AsyncRetryHandler] = [AsyncRateLimitErrorRetryHandler(max_retry_count=1)]
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url, retry_handlers=handlers)
    assert (await slack.chat_postMessage(channel="C0HELP", text="a"))["ok"]
    await people.answer("/faults", {"kind": "429", "seconds": 7})
    with pytest.raises(SlackApiError, match="ratelimited") as limited:
        await AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url).auth_test()
    assert limited.value.response.headers["Retry-After"] == "7"


async def test_accepted_and_never_answered(people: People, workspace: Sandbox) -> None:
    """The message is posted, and the poster never learns of it."""
    await people.answer("/faults", {"method": "chat.postMessage", "kind": "timeout_after_accept", "seconds": 0})
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url, retry_handlers=[])
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await slack.chat_postMessage(channel="C0HELP", text="a")
    assert [message["text"] for message in await people.channel()] == ["a"]


async def test_held_until_the_clients_own_timeout(people: People, workspace: Sandbox) -> None:
    """Without seconds the line is held until the client gives up."""
    await people.answer("/faults", {"kind": "timeout_after_accept"})
    async with aiohttp.ClientSession() as session:
        timeout = aiohttp.ClientTimeout(total=0.05)
        with pytest.raises(TimeoutError):
            await session.post(f"{workspace.api_url}auth.test", timeout=timeout)


async def test_a_delayed_answer_comes(people: People, slack: AsyncWebClient) -> None:
    """delay answers late, and rightly; cleared faults befall nobody."""
    await people.answer("/faults", {"kind": "delay", "seconds": 0.01})
    await people.answer("/faults", {"kind": "500", "times": 9})
    assert (await slack.auth_test())["user"] == "triage"
    await people.session.delete("/faults")
    assert (await slack.auth_test())["user"] == "triage"


async def test_calls_are_listed_with_masked_tokens(people: People, slack: AsyncWebClient) -> None:
    """Every call in order with its arguments and outcome; no token is shown whole."""
    await slack.chat_postMessage(channel="C0HELP", text="a")
    await people.session.post("/api/chat.postMessage", data={"token": "xoxb-secret", "channel": "C0HELP"})
    await people.answer("/faults", {"kind": "500"})
    with pytest.raises(SlackApiError):
        await slack.auth_test()
    answer = await people.session.get("/calls")
    first, second, third = (await answer.json())["calls"]
    assert first.pop("at") == 1_700_000_000.0
    assert first.pop("arguments")["text"] == "a"
    assert first == {"method": "chat.postMessage", "token": "xoxb-***", "ok": True}
    assert (second["token"], second["ok"], second["error"]) == ("xoxb-***", False, "invalid_auth")
    assert (third["method"], third["fault"]) == ("auth.test", "500")
    assert "secret" not in json.dumps([first, second, third])
