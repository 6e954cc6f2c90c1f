"""Channels, people and the app that go away: what the app hears of it, and what its calls are refused with."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.server import Sandbox
from tests.sandbox.conftest import Clock, Line, People

Json = dict[str, Any]


async def _next(line: Line, kind: str) -> Json:
    while (event := await line.event())["type"] != kind:
        pass
    return event


async def _room(people: People, *, is_private: bool = False) -> str:
    """A channel of Ana's with the bot in it."""
    channel: str = (await people("channel", user="U0ANA", name="deploys", is_private=is_private))["channel"]
    await people("invite", user="U0ANA", channel=channel, who="U0TRIAGE")
    return channel


@pytest.mark.parametrize(("is_private", "family"), [(False, "channel"), (True, "group")])
async def test_the_bot_is_taken_out_of_a_channel(
    people: People, slack: AsyncWebClient, line: Line, is_private: bool, family: str
) -> None:
    """It hears so twice, and then nothing more from there."""
    channel = await _room(people, is_private=is_private)
    await people("kick", user="U0ANA", channel=channel, who="U0TRIAGE")
    left = await _next(line, "member_left_channel")
    assert (left["user"], left["channel"], left["channel_type"]) == ("U0TRIAGE", channel, "G" if is_private else "C")
    told = await line.event()
    assert (told["type"], told["channel"], told["actor_id"]) == (f"{family}_left", channel, "U0ANA")
    await people("say", user="U0ANA", channel=channel, text="unheard")
    await people("say", user="U0ANA", channel="C0HELP", text="heard")
    assert (await line.event())["text"] == "heard"
    error = "channel_not_found" if is_private else "not_in_channel"
    for method in ("chat.postMessage", "conversations.history"):
        with pytest.raises(SlackApiError, match=error):
            await slack.api_call(method, json={"channel": channel, "text": "a"})


async def test_a_person_leaves(people: People, line: Line) -> None:
    """The event, and Slack's line in the channel."""
    channel = await _room(people)
    await people("join", user="U0OPS", channel=channel)
    await people("leave", user="U0OPS", channel=channel)
    left, message = await _next(line, "member_left_channel"), await line.event()
    assert (left["user"], message["subtype"], message["text"]) == (
        "U0OPS",
        "channel_leave",
        "<@U0OPS> has left the channel",
    )


@pytest.mark.parametrize(("is_private", "family"), [(False, "channel"), (True, "group")])
async def test_a_channel_is_archived_and_opened_again(
    people: People, slack: AsyncWebClient, line: Line, is_private: bool, family: str
) -> None:
    """Both are told; in between nothing can be written."""
    channel = await _room(people, is_private=is_private)
    await people("archive", user="U0ANA", channel=channel)
    assert (await _next(line, f"{family}_archive"))["user"] == "U0ANA"
    with pytest.raises(SlackApiError, match="is_archived"):
        await slack.chat_postMessage(channel=channel, text="a")
    await people("unarchive", user="U0ANA", channel=channel)
    event = await _next(line, f"{family}_unarchive")
    assert event["actor_id" if is_private else "user"] == "U0ANA"
    await slack.chat_postMessage(channel=channel, text="a")


async def test_a_channel_has_another_name(people: People, slack: AsyncWebClient, line: Line) -> None:
    """The event carries the new name; the channel remembers the old one."""
    channel = await _room(people)
    await people("rename", user="U0ANA", channel=channel, name="releases")
    event = await _next(line, "channel_rename")
    assert (event["channel"]["id"], event["channel"]["name"]) == (channel, "releases")
    message = await line.event()
    assert (message["subtype"], message["old_name"], message["name"]) == ("channel_name", "deploys", "releases")
    info = (await slack.conversations_info(channel=channel))["channel"]
    assert (info["name"], info["previous_names"]) == ("releases", ["deploys"])


@pytest.mark.parametrize(("is_private", "kind"), [(False, "channel_deleted"), (True, "group_deleted")])
async def test_a_channel_is_deleted(
    people: People, slack: AsyncWebClient, line: Line, is_private: bool, kind: str
) -> None:
    """It is gone for everybody, with what was said there."""
    channel = await _room(people, is_private=is_private)
    await people("delete_channel", user="U0ANA", channel=channel)
    event = await _next(line, kind)
    assert (event["channel"], event["actor_id"]) == (channel, "U0ANA")
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await slack.conversations_info(channel=channel)


async def test_a_response_url_of_a_deleted_channel(people: People, line: Line) -> None:
    """An answer that comes too late has no place any more."""
    channel = await _room(people)
    asking = asyncio.create_task(people("command", user="U0ANA", channel=channel, command="/triage"))
    while "response_url" not in (payload := await line.payload()):
        pass
    await asking
    await people("delete_channel", user="U0ANA", channel=channel)
    for kind in ("ephemeral", "in_channel"):
        async with people.session.post(payload["response_url"], json={"text": "a", "response_type": kind}) as answer:
            assert (answer.status, (await answer.json())["error"]) == (404, "channel_not_found")


@pytest.mark.parametrize(
    ("act", "error", "events"),
    [
        ("revoke", "token_revoked", ["tokens_revoked"]),
        ("uninstall", "account_inactive", ["tokens_revoked", "app_uninstalled"]),
    ],
)
async def test_the_app_loses_its_token(
    people: People, slack: AsyncWebClient, line: Line, act: str, error: str, events: Any
) -> None:
    """It is told once, hears nothing more, and each of its calls is refused; installed again, all is well."""
    await people(act)
    assert [(await line.event())["type"] for _ in events] == events
    for method in ("auth.test", "chat.postMessage"):
        with pytest.raises(SlackApiError, match=error):
            await slack.api_call(method, json={"channel": "C0HELP", "text": "a"})
    await people("say", user="U0ANA", channel="C0HELP", text="unheard")
    await people("install")
    await people("say", user="U0ANA", channel="C0HELP", text="heard")
    assert (await line.event())["text"] == "heard"
    await slack.auth_test()


async def test_the_app_gives_its_token_back(slack: AsyncWebClient, line: Line) -> None:
    """auth.revoke says whether it did, and does it unless it is a test."""
    assert (await slack.auth_revoke(test=True))["revoked"] is False
    assert (await slack.auth_revoke())["revoked"] is True
    assert (await line.event())["tokens"] == {"oauth": [], "bot": ["U0TRIAGE"]}
    with pytest.raises(SlackApiError, match="token_revoked"):
        await slack.auth_test()


async def test_the_bot_runs_a_channel(slack: AsyncWebClient, line: Line) -> None:
    """It invites, describes, renames, takes people out, archives, opens and leaves."""
    channel = (await slack.conversations_create(name="incident"))["channel"]["id"]
    await slack.conversations_invite(channel=channel, users=["U0ANA", "U0OPS"])
    assert (await slack.conversations_setTopic(channel=channel, topic="it burns"))["channel"]["topic"]["value"] == (
        "it burns"
    )
    assert (await slack.conversations_setPurpose(channel=channel, purpose="put it out"))["ok"]
    assert (await slack.conversations_rename(channel=channel, name="incident-1"))["channel"]["name"] == "incident-1"
    await slack.conversations_kick(channel=channel, user="U0OPS")
    assert (await slack.conversations_members(channel=channel))["members"] == ["U0TRIAGE", "U0ANA"]
    posted = await slack.chat_postMessage(channel=channel, text="over")
    await slack.conversations_mark(channel=channel, ts=posted["ts"])
    await slack.conversations_archive(channel=channel)
    await slack.conversations_unarchive(channel=channel)
    await slack.conversations_leave(channel=channel)
    assert (await slack.conversations_leave(channel=channel))["not_in_channel"] is True


async def test_one_wrong_person_keeps_all_from_being_invited(slack: AsyncWebClient) -> None:
    """Unless `force` is set; the answer names each who was not."""
    channel = (await slack.conversations_create(name="incident"))["channel"]["id"]
    people = ["U0ANA", "U0GONE", "U0TRIAGE"]
    with pytest.raises(SlackApiError) as refusal:
        await slack.conversations_invite(channel=channel, users=people)
    errors = [(fault["user"], fault["error"]) for fault in refusal.value.response["errors"]]
    assert errors == [("U0GONE", "user_not_found"), ("U0TRIAGE", "cant_invite_self")]
    assert (await slack.conversations_members(channel=channel))["members"] == ["U0TRIAGE"]
    forced = await slack.conversations_invite(channel=channel, users=people, force=True)
    assert [fault["user"] for fault in forced["errors"]] == ["U0GONE", "U0TRIAGE"]
    assert (await slack.conversations_members(channel=channel))["members"] == ["U0TRIAGE", "U0ANA"]


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("conversations.invite", {"channel": "C0HELP", "users": "U0TRIAGE"}, "cant_invite_self"),
        ("conversations.invite", {"channel": "C0HELP", "users": "U0ANA"}, "already_in_channel"),
        ("conversations.invite", {"channel": "C0HELP"}, "no_user"),
        ("conversations.kick", {"channel": "C0HELP", "user": "U0TRIAGE"}, "cant_kick_self"),
        ("conversations.kick", {"channel": "C0GENERAL", "user": "U0ANA"}, "cant_kick_from_general"),
        ("conversations.leave", {"channel": "C0GENERAL"}, "cant_leave_general"),
        ("conversations.leave", {"channel": "D0ANA"}, "method_not_supported_for_channel_type"),
        ("conversations.unarchive", {"channel": "C0HELP"}, "not_archived"),
        ("conversations.setTopic", {"channel": "C0HELP", "topic": "a" * 251}, "too_long"),
        ("conversations.rename", {"channel": "C0HELP", "name": "general"}, "name_taken"),
        ("conversations.mark", {"channel": "C0HELP", "ts": "1.0"}, "message_not_found"),
    ],
)
async def test_what_slack_refuses_of_channels(slack: AsyncWebClient, method: str, arguments: Any, error: str) -> None:
    """Each with its own code."""
    with pytest.raises(SlackApiError, match=error):
        await slack.api_call(method, json=arguments)


MANIFEST = """
display_information: {{name: Triage}}
oauth_config: {{scopes: {{bot: [{scopes}]}}}}
settings: {{event_subscriptions: {{bot_events: [member_left_channel, channel_left, group_left, tokens_revoked]}}}}
"""


@pytest.fixture
async def workspace(clock: Clock, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """A workspace; one that obeys a manifest with the scopes of a test's `granted` mark."""
    file = tmp_path / "manifest.yml"
    granted = request.node.get_closest_marker("granted")
    file.write_text(MANIFEST.format(scopes=", ".join(granted.args if granted else ())))
    running = await Sandbox.start(clock=clock, manifest=file if granted else None)
    yield running
    await running.close()


@pytest.mark.granted("groups:read")
async def test_an_event_needs_the_scope_of_its_kind_of_channel(people: People, line: Line) -> None:
    """With `groups:read` alone the app hears of private channels, not of public ones; of its end in any case."""
    for name, is_private in (("open", False), ("hidden", True)):
        channel = (await people("channel", user="U0ANA", name=name, is_private=is_private))["channel"]
        await people("invite", user="U0ANA", channel=channel, who="U0TRIAGE")
        await people("kick", user="U0ANA", channel=channel, who="U0TRIAGE")
    await people("uninstall")
    assert [(await line.event())["type"] for _ in range(3)] == ["member_left_channel", "group_left", "tokens_revoked"]


async def test_the_life_of_channels_outlives_a_restart(tmp_path: Path, people_of: type[People]) -> None:
    """Names, deletions and the installation are kept with the messages."""
    file = tmp_path / "workspace.ndjson"
    first = await Sandbox.start(data=file)
    async with aiohttp.ClientSession(first.url) as http:
        people = people_of(http)
        kept = (await people("channel", user="U0ANA", name="kept"))["channel"]
        gone = (await people("channel", user="U0ANA", name="gone"))["channel"]
        await people("rename", user="U0ANA", channel=kept, name="renamed")
        await people("delete_channel", user="U0ANA", channel=gone)
        await people("uninstall")
    await first.close()
    second = await Sandbox.start(data=file)
    async with aiohttp.ClientSession(second.url) as http:
        names = {each["id"]: each["name"] for each in (await people_of(http).view())["channels"]}
        assert (names.get(kept), gone in names) == ("renamed", False)
        answer = await http.post("/api/auth.test", headers={"Authorization": "Bearer xoxb-sandbox"})
        assert (await answer.json())["error"] == "account_inactive"
    await second.close()
