"""Channels that the bot creates, in a workspace on loopback: created, found again, people invited, archived."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.pace import Pacer
from bot.adapters.slack.channels import SlackChannels
from bot.adapters.slack.client import web_client
from bot.errors import Refused, Uncertain
from sandbox.seed import BOT_TOKEN
from sandbox.server import Sandbox

MANIFEST = Path(__file__).parents[2] / "manifest.yml"


@pytest.fixture
async def workspace() -> AsyncIterator[Sandbox]:
    """A workspace with the app's own manifest."""
    started = await Sandbox.start(port=0, manifest=MANIFEST)
    yield started
    await started.close()


def channels_in(workspace: Sandbox) -> SlackChannels:
    """The bot's Web API in it, called as fast as a test likes."""
    return SlackChannels(web_client(BOT_TOKEN, workspace.api_url), Pacer(SystemClock(), scale=1_000))


async def call(workspace: Sandbox, path: str, **body: Any) -> Any:
    """Act as a person, or set a fault."""
    async with aiohttp.ClientSession() as session, session.post(f"{workspace.url}/{path}", json=body) as answer:
        return await answer.json()


async def test_a_channel_is_created_with_a_person_in_it_and_archived(workspace: Sandbox) -> None:
    """Each step may be repeated but the first, for which its name is taken then."""
    slack = channels_in(workspace)
    assert await slack.may_administer()
    created = await slack.create_channel("help-shop")
    assert (created.name, created.creator) == ("help-shop", "U0TRIAGE")
    assert await slack.find_joined("help-shop") == created
    for _ in range(2):
        await slack.invite(channel=created.channel_id, user="U0ADMIN")
    with pytest.raises(Refused) as taken:
        await slack.create_channel("help-shop")
    assert taken.value.code == "name_taken"
    for _ in range(2):
        await slack.archive(created.channel_id)
    assert await slack.find_joined("help-shop") is None
    await slack.archive("C0GONE")


async def test_channels_of_others_are_not_taken_for_its_own(workspace: Sandbox) -> None:
    """Neither one that the bot is not in, nor a creation in doubt that did not happen."""
    slack = channels_in(workspace)
    await call(workspace, "human/channel", user="U0ANA", name="shop")
    assert await slack.find_joined("shop") is None
    for number in range(201):
        await slack.create_channel(f"many-{number:03}")
    assert await slack.find_joined("many-200") is not None
    await call(workspace, "faults", method="conversations.create", kind="timeout_after_accept", times=1, seconds=0.05)
    with pytest.raises(Uncertain):
        await slack.create_channel("doubtful")
    assert await slack.find_joined("doubtful") is not None


@pytest.mark.parametrize("code", ["restricted_action", "user_is_restricted"])
async def test_a_refusal_has_slacks_code(workspace: Sandbox, code: str) -> None:
    """Which says what to do."""
    slack = channels_in(workspace)
    for method in ("conversations.create", "conversations.invite", "conversations.archive"):
        await call(workspace, "faults", method=method, kind="refused", error=code, times=1)
    calls = (slack.create_channel("shop"), slack.invite(channel="C0HELP", user="U0ANA"), slack.archive("C0HELP"))
    for attempt in calls:
        with pytest.raises(Refused) as refusal:
            await attempt
        assert refusal.value.code == code


async def test_a_token_without_the_scope_may_create_nothing(tmp_path: Path) -> None:
    """As Slack tells in advance."""
    manifest = tmp_path / "manifest.yml"
    manifest.write_text(MANIFEST.read_text().replace("- channels:manage", "- channels:join"))
    workspace = await Sandbox.start(port=0, manifest=manifest)
    try:
        slack = channels_in(workspace)
        assert not await slack.may_administer()
        with pytest.raises(Refused, match="missing_scope"):
            await slack.create_channel("shop")
    finally:
        await workspace.close()
