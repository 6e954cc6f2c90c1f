"""Channels that come and go, and what the app hears of them."""

import asyncio

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.sandbox.conftest import Line, People


async def _types(line: Line, count: int) -> list[str]:
    events = [await line.event() for _ in range(count)]
    return [event.get("subtype", event["type"]) for event in events]


async def test_the_bot_makes_a_channel(slack: AsyncWebClient, line: Line) -> None:
    """It is the first in it, and hears of its making."""
    made = (await slack.conversations_create(name="incident-7"))["channel"]
    assert (made["name"], made["creator"], made["is_member"]) == ("incident-7", "U0TRIAGE", True)
    assert await _types(line, 3) == ["channel_created", "member_joined_channel", "channel_join"]
    assert (await slack.conversations_members(channel=made["id"]))["members"] == ["U0TRIAGE"]
    assert (await slack.chat_postMessage(channel="#incident-7", text="hi"))["channel"] == made["id"]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("general", "name_taken"),
        ("", "invalid_name_required"),
        ("a" * 81, "invalid_name_maxlength"),
        ("Upper", "invalid_name_specials"),
        ("a b", "invalid_name_specials"),
        ("--", "invalid_name_punctuation"),
    ],
)
async def test_a_channels_name_has_rules(slack: AsyncWebClient, name: str, error: str) -> None:
    """Slack has an error for each."""
    with pytest.raises(SlackApiError, match=error):
        await slack.conversations_create(name=name)


async def test_the_bot_joins_a_public_channel(people: People, slack: AsyncWebClient, line: Line) -> None:
    """Before that it can know of the channel, but neither read nor write nor hear."""
    channel = (await people("channel", user="U0ANA", name="quiet"))["channel"]
    assert (await line.event())["type"] == "channel_created"
    await people("say", user="U0ANA", channel=channel, text="unheard @triage")
    assert (await slack.conversations_info(channel=channel))["channel"]["is_member"] is False
    assert channel in [each["id"] for each in (await slack.conversations_list())["channels"]]
    for method in ("conversations.history", "chat.postMessage"):
        with pytest.raises(SlackApiError, match="not_in_channel"):
            await slack.api_call(method, json={"channel": channel, "text": "a"})
    await slack.conversations_join(channel=channel)
    event, message = await line.event(), await line.event()
    assert (event["type"], event["user"], event["channel_type"]) == ("member_joined_channel", "U0TRIAGE", "C")
    assert (message["subtype"], message["text"]) == ("channel_join", "<@U0TRIAGE> has joined the channel")
    again = await slack.conversations_join(channel=channel)
    assert again["warning"] == "already_in_channel"


async def test_a_person_joins_and_the_app_hears_of_it(people: People, slack: AsyncWebClient, line: Line) -> None:
    """The event, and Slack's own line in the channel."""
    channel = (await slack.conversations_create(name="open"))["channel"]["id"]
    await people("join", user="U0OPS", channel=channel)
    await _types(line, 3)
    joined, message = await line.event(), await line.event()
    assert (joined["user"], "inviter" in joined) == ("U0OPS", False)
    assert message["user"] == "U0OPS"
    with pytest.raises(SlackApiError, match="user_not_in_channel"):
        await slack.chat_postEphemeral(channel=channel, user="U0ANA", text="a")


async def test_a_private_channel_is_for_its_members(people: People, slack: AsyncWebClient, line: Line) -> None:
    """Nobody else can know of it; who is invited hears as `group`."""
    channel = (await people("channel", user="U0ANA", name="secret", is_private=True))["channel"]
    for call in (slack.conversations_info, slack.conversations_join):
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await call(channel=channel)
    assert (await people.answer("/human/join", {"user": "U0OPS", "channel": channel}))[0] == 404
    await people("invite", user="U0ANA", channel=channel, who="U0TRIAGE")
    joined, message = await line.event(), await line.event()
    assert (joined["inviter"], joined["channel_type"]) == ("U0ANA", "G")
    assert (message["inviter"], message["channel_type"]) == ("U0ANA", "group")
    listed = await slack.conversations_list(types="private_channel")
    assert [each["name"] for each in listed["channels"]] == ["secret"]
    status, answer = await people.answer("/human/invite", {"user": "U0ANA", "channel": channel, "who": "U0TRIAGE"})
    assert (status, answer["error"]) == (400, "already_in_channel")


async def test_an_archived_channel_is_shut(people: People, slack: AsyncWebClient, line: Line) -> None:
    """It can be read, and nothing more."""
    channel = (await slack.conversations_create(name="old"))["channel"]["id"]
    await slack.chat_postMessage(channel=channel, text="last words")
    await slack.conversations_archive(channel=channel)
    assert (await _types(line, 6))[-2:] == ["channel_archive", "channel_archive"]
    for method in ("chat.postMessage", "conversations.join"):
        with pytest.raises(SlackApiError, match="is_archived"):
            await slack.api_call(method, json={"channel": channel, "text": "a"})
    with pytest.raises(SlackApiError, match="already_archived"):
        await slack.conversations_archive(channel=channel)
    assert len((await slack.conversations_history(channel=channel))["messages"]) == 3
    open_ones = await slack.conversations_list(exclude_archived=True)
    assert channel not in [each["id"] for each in open_ones["channels"]]


@pytest.mark.parametrize(
    ("channel", "error"), [("C0GENERAL", "cant_archive_general"), ("D0ANA", "method_not_supported_for_channel_type")]
)
async def test_what_cannot_be_archived(slack: AsyncWebClient, channel: str, error: str) -> None:
    """The general channel, and direct messages."""
    with pytest.raises(SlackApiError, match=error):
        await slack.conversations_archive(channel=channel)


async def test_unknown_kinds_of_channels_are_refused(slack: AsyncWebClient) -> None:
    """A typo in `types` is no empty list."""
    with pytest.raises(SlackApiError, match="invalid_types"):
        await slack.conversations_list(types="public")


async def test_the_seeded_user_group(slack: AsyncWebClient) -> None:
    """Its members are the operator and the admin."""
    assert (await slack.usergroups_users_list(usergroup="S0ONCALL"))["users"] == ["U0OPS", "U0ADMIN"]
    with pytest.raises(SlackApiError, match="no_such_subteam"):
        await slack.usergroups_users_list(usergroup="S0NONE")


async def test_a_command_where_the_bot_is_not(people: People, line: Line) -> None:
    """A slash command works in any channel; its answer needs no membership."""
    channel = (await people("channel", user="U0ANA", name="elsewhere"))["channel"]
    await line.event()
    giving = asyncio.create_task(people("command", user="U0ANA", channel=channel, command="/triage"))
    await line.ack(await line.frame(), {"text": "here too"})
    assert (await giving)["response"] == {"text": "here too"}
    assert (await people.channel("U0ANA", channel))[-1]["text"] == "here too"
