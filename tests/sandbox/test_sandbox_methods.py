"""The methods of the Web API, driven with the real client."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.server import Sandbox
from tests.sandbox.conftest import People

SECTION = {"type": "section", "block_id": "s", "text": {"type": "mrkdwn", "text": "hi"}}
METADATA = {"event_type": "triage_reply", "event_payload": {"draft_id": "d1"}}
PEOPLE = ("U0ANA", "U0OPS", "U0ADMIN", "U0GUEST")


async def test_posting_answers_with_the_stored_message(slack: AsyncWebClient) -> None:
    """A post is answered with what stands in the channel: escaped text, rich text, the bot's profile, its metadata."""
    posted = await slack.chat_postMessage(channel="#help-platform", text="1 < 2 & <@U0ANA>", metadata=METADATA)
    message = posted["message"]
    assert (posted["channel"], message["ts"]) == ("C0HELP", posted["ts"])
    assert message["text"] == "1 &lt; 2 &amp; <@U0ANA>"
    assert message["blocks"][0]["elements"][0]["elements"] == [
        {"type": "text", "text": "1 < 2 & "},
        {"type": "user", "user_id": "U0ANA"},
    ]
    assert (message["user"], message["bot_id"], message["app_id"]) == ("U0TRIAGE", "B0TRIAGE", "A0TRIAGE")
    assert message["metadata"] == METADATA


async def test_ts_rise_while_the_clock_stands(slack: AsyncWebClient) -> None:
    """Two messages never share a ts, however fast they come."""
    first = await slack.chat_postMessage(channel="C0HELP", text="a")
    second = await slack.chat_postMessage(channel="C0GENERAL", text="b")
    assert first["ts"] < second["ts"]


async def test_blocks_get_ids_and_default_flags(slack: AsyncWebClient) -> None:
    """Slack fills in what the app left out of its blocks."""
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "*hi*"}},
        {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Go"}}]},
    ]
    posted = await slack.chat_postMessage(channel="C0HELP", text="hi", blocks=blocks)
    section, actions = posted["message"]["blocks"]
    assert section["block_id"]
    assert section["text"] == {"type": "mrkdwn", "text": "*hi*", "verbatim": False}
    assert actions["elements"][0]["action_id"]
    assert actions["elements"][0]["text"]["emoji"] is True


async def test_an_update_with_blocks_is_not_marked_as_edited(slack: AsyncWebClient) -> None:
    """Only new text without blocks bears the mark, and takes the old blocks away."""
    ts = (await slack.chat_postMessage(channel="C0HELP", text="a", blocks=[SECTION]))["ts"]
    with_blocks = await slack.chat_update(channel="C0HELP", ts=ts, text="b", blocks=[SECTION])
    assert "edited" not in with_blocks["message"]
    with_text = await slack.chat_update(channel="C0HELP", ts=ts, text="c")
    assert with_text["message"]["edited"]["user"] == "B0TRIAGE"
    assert [block["type"] for block in with_text["message"]["blocks"]] == ["rich_text"]


async def test_metadata_is_only_returned_when_asked_for(slack: AsyncWebClient) -> None:
    """history and replies show metadata with include_all_metadata alone, and an update keeps it."""
    ts = (await slack.chat_postMessage(channel="C0HELP", text="a", metadata=METADATA))["ts"]
    await slack.chat_update(channel="C0HELP", ts=ts, text="b")
    for read in (slack.conversations_history, slack.conversations_replies):
        extra = {"ts": ts} if read == slack.conversations_replies else {}
        plain = await read(channel="C0HELP", **extra)
        full = await read(channel="C0HELP", include_all_metadata=True, **extra)
        assert "metadata" not in plain["messages"][0]
        assert full["messages"][0]["metadata"] == METADATA


async def test_history_comes_in_pages_newest_first(slack: AsyncWebClient) -> None:
    """Following the cursor gives each root message once; replies are not among them."""
    sent = [(await slack.chat_postMessage(channel="C0HELP", text=str(n)))["ts"] for n in range(5)]
    await slack.chat_postMessage(channel="C0HELP", text="reply", thread_ts=sent[0])
    seen, cursor = [], None
    while cursor != "":
        page = await slack.conversations_history(channel="C0HELP", limit=2, cursor=cursor)
        seen += [message["ts"] for message in page["messages"]]
        cursor = (page.get("response_metadata") or {}).get("next_cursor", "")
        assert page["has_more"] is bool(cursor)
    assert seen == sent[::-1]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"oldest": 1}, [4, 3, 2]),
        ({"oldest": 1, "inclusive": True}, [4, 3, 2, 1]),
        ({"latest": 3}, [2, 1, 0]),
        ({"latest": 3, "inclusive": True}, [3, 2, 1, 0]),
        ({"oldest": 1, "latest": 3}, [2]),
        ({"latest": 2, "inclusive": True, "limit": 1}, [2]),
    ],
)
async def test_history_between_bounds(slack: AsyncWebClient, bounds: dict[str, Any], expected: list[int]) -> None:
    """oldest and latest shut their own message out unless inclusive is set."""
    sent = [(await slack.chat_postMessage(channel="C0HELP", text=str(n)))["ts"] for n in range(5)]
    named = {name: sent[value] if name in ("oldest", "latest") else value for name, value in bounds.items()}
    page = await slack.conversations_history(channel="C0HELP", **named)
    assert [message["text"] for message in page["messages"]] == [str(n) for n in expected]


async def test_a_thread_begins_with_its_first_message(slack: AsyncWebClient, people: People) -> None:
    """replies gives the root with its figures, then the replies from the oldest on, page by page."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    for n in range(3):
        await slack.chat_postMessage(channel="C0HELP", text=str(n), thread_ts=root)
    first = await slack.conversations_replies(channel="C0HELP", ts=root, limit=2)
    assert [message["text"] for message in first["messages"]] == ["question", "0", "1"]
    assert first["messages"][0]["reply_count"] == 3
    assert first["messages"][0]["reply_users"] == ["U0TRIAGE"]
    assert first["messages"][1]["parent_user_id"] == "U0ANA"
    cursor = first["response_metadata"]["next_cursor"]
    rest = await slack.conversations_replies(channel="C0HELP", ts=root, limit=2, cursor=cursor)
    assert [message["text"] for message in rest["messages"]] == ["2"]
    assert rest["has_more"] is False


async def test_a_message_without_replies_is_a_thread_of_one(slack: AsyncWebClient) -> None:
    """Looking for replies before there are any gives the message alone."""
    ts = (await slack.chat_postMessage(channel="C0HELP", text="alone"))["ts"]
    thread = await slack.conversations_replies(channel="C0HELP", ts=ts)
    assert [message["ts"] for message in thread["messages"]] == [ts]


async def test_conversations_of_the_bot(slack: AsyncWebClient) -> None:
    """Channels by default, direct messages when asked for, members by page."""
    channels = await slack.conversations_list()
    assert [each["name"] for each in channels["channels"]] == ["help-platform", "general"]
    direct = await slack.conversations_list(types="im")
    assert {each["user"] for each in direct["channels"]} == set(PEOPLE)
    first = await slack.conversations_members(channel="C0HELP", limit=3)
    rest = await slack.conversations_members(channel="C0HELP", cursor=first["response_metadata"]["next_cursor"])
    assert [*first["members"], *rest["members"]] == [*PEOPLE, "U0TRIAGE", "U0ALERTS"]
    assert rest["response_metadata"]["next_cursor"] == ""


async def test_direct_messages_are_opened_once(slack: AsyncWebClient) -> None:
    """Opening them again gives the same conversation and says so; a user id is as good as its id for posting."""
    opened = await slack.conversations_open(users="U0OPS")
    again = await slack.conversations_open(users=["U0OPS"])
    assert opened["channel"]["id"] == again["channel"]["id"]
    assert again["already_open"] is True
    posted = await slack.chat_postMessage(channel="U0OPS", text="psst")
    assert posted["channel"] == opened["channel"]["id"]


async def test_who_is_who(slack: AsyncWebClient) -> None:
    """The seeded people, the bot and the team under their fixed ids."""
    assert (await slack.auth_test())["user_id"] == "U0TRIAGE"
    assert (await slack.users_info(user="U0OPS"))["user"]["profile"]["display_name"] == "Olu"
    assert [each["id"] for each in (await slack.users_list())["members"]] == [*PEOPLE, "U0TRIAGE", "U0ALERTS"]
    assert (await slack.bots_info(bot="B0TRIAGE"))["bot"]["user_id"] == "U0TRIAGE"
    assert (await slack.team_info())["team"]["domain"] == "sandbox"


async def test_reactions_come_and_go(slack: AsyncWebClient) -> None:
    """A reaction counts once for each who gave it."""
    ts = (await slack.chat_postMessage(channel="C0HELP", text="a"))["ts"]
    await slack.reactions_add(channel="C0HELP", timestamp=ts, name="eyes")
    with pytest.raises(SlackApiError, match="already_reacted"):
        await slack.reactions_add(channel="C0HELP", timestamp=ts, name="eyes")
    got = await slack.reactions_get(channel="C0HELP", timestamp=ts)
    assert got["message"]["reactions"] == [{"name": "eyes", "users": ["U0TRIAGE"], "count": 1}]
    await slack.reactions_remove(channel="C0HELP", timestamp=ts, name="eyes")
    assert "reactions" not in (await slack.reactions_get(channel="C0HELP", timestamp=ts))["message"]


async def test_permalinks_are_local(slack: AsyncWebClient, workspace: Sandbox) -> None:
    """A permalink leads to the workspace's own page; that of a reply names its thread."""
    root = (await slack.chat_postMessage(channel="C0HELP", text="a"))["ts"]
    reply = (await slack.chat_postMessage(channel="C0HELP", text="b", thread_ts=root))["ts"]
    to_root = await slack.chat_getPermalink(channel="C0HELP", message_ts=root)
    to_reply = await slack.chat_getPermalink(channel="C0HELP", message_ts=reply)
    place = f"{workspace.url}/archives/C0HELP/p"
    assert to_root["permalink"] == f"{place}{root.replace('.', '')}"
    assert to_reply["permalink"] == f"{place}{reply.replace('.', '')}?thread_ts={root}&cid=C0HELP"
