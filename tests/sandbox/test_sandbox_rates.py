"""Rate limits by tier, as Slack publishes them."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.rates import METHODS, POSTS_BURST, TIERS
from sandbox.seed import BOT_TOKEN
from sandbox.server import Sandbox
from tests.sandbox.conftest import Clock, People

if TYPE_CHECKING:
    from slack_sdk.http_retry.async_handler import AsyncRetryHandler

PUBLISHED = Path(__file__).resolve().parents[1] / "data/slack/rate_limit_tiers.json"


@pytest.fixture
async def workspace(clock: Clock) -> AsyncIterator[Sandbox]:
    """A workspace that counts."""
    running = await Sandbox.start(clock=clock, rate_limits=True)
    yield running
    await running.close()


async def _until_refused(session: aiohttp.ClientSession, method: str, **arguments: str) -> tuple[int, str]:
    """How many calls pass, and what the refusal says of the time to wait."""
    for passed in range(1_000):
        answer = await session.post(f"/api/{method}", json=arguments, headers={"Authorization": f"Bearer {BOT_TOKEN}"})
        if answer.status == 429:
            assert await answer.json() == {"ok": False, "error": "ratelimited"}
            return passed, answer.headers["Retry-After"]
    raise AssertionError("never refused")


@pytest.mark.parametrize(
    ("method", "arguments", "calls"),
    [
        ("users.list", {}, 20),
        ("conversations.history", {"channel": "C0HELP"}, 50),
        ("users.info", {"user": "U0ANA"}, 100),
    ],
)
async def test_a_tier_allows_so_many_calls_a_minute(
    slack: AsyncWebClient, session: aiohttp.ClientSession, clock: Clock, method: str, arguments: Any, calls: int
) -> None:
    """Then 429 with the seconds to wait; other methods go on; a minute later it is open again."""
    assert await _until_refused(session, method, **arguments) == (calls, "60")
    await slack.team_info()
    clock.now += 59.5
    with pytest.raises(SlackApiError) as refused:
        await slack.api_call(method, json=arguments)
    assert refused.value.response.headers["Retry-After"] == "1"
    clock.now += 0.5
    await slack.api_call(method, json=arguments)


async def test_a_channel_takes_a_burst_and_then_a_post_a_second(
    slack: AsyncWebClient, session: aiohttp.ClientSession, clock: Clock
) -> None:
    """Each channel for itself."""
    assert await _until_refused(session, "chat.postMessage", channel="C0HELP", text="a") == (POSTS_BURST, "1")
    await slack.chat_postMessage(channel="C0GENERAL", text="a")
    clock.now += 1
    await slack.chat_postMessage(channel="C0HELP", text="a")
    with pytest.raises(SlackApiError, match="ratelimited"):
        await slack.chat_postMessage(channel="C0HELP", text="a")


async def test_the_limits_move_with_the_workspaces_clock(
    slack: AsyncWebClient, session: aiohttp.ClientSession, people: People
) -> None:
    """POST /clock opens what is shut."""
    await _until_refused(session, "users.list")
    await people.answer("/clock", {"advance": 60})
    assert (await slack.users_list())["ok"]


async def test_the_limits_are_off_unless_switched_on() -> None:
    """A workspace for trying out counts nothing."""
    workspace = await Sandbox.start()
    handlers: list[AsyncRetryHandler] = [AsyncRateLimitErrorRetryHandler(max_retry_count=0)]
    slack = AsyncWebClient(token=BOT_TOKEN, base_url=workspace.api_url, retry_handlers=handlers)
    answers = [(await slack.users_list())["ok"] for _ in range(25)]
    await workspace.close()
    assert answers == [True] * 25


def test_every_tier_of_a_method_has_a_figure() -> None:
    """No method stands in a tier that nothing is known of."""
    assert set(METHODS.values()) <= set(TIERS)


def test_every_method_has_a_tier(workspace_methods: Any) -> None:
    """What the workspace answers is what it can limit; of blocks.validate Slack publishes no tier."""
    assert set(METHODS) == workspace_methods - {"blocks.validate"}


@pytest.fixture
async def workspace_methods() -> AsyncIterator[set[str]]:
    running = await Sandbox.start()
    yield set(running._methods())
    await running.close()


def test_the_tiers_are_those_that_slack_published() -> None:
    """Method by method."""
    published = json.loads(PUBLISHED.read_text())
    newer = {"agents.sessions.setStatus": "Tier3"}  # from its page; the table is older
    assert {method: (published | newer)[method] for method in METHODS} == METHODS
