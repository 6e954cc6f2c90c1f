"""What the app hears about what happens in the workspace."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.sandbox.conftest import Bot, Line, People

MENTION = "hey @Triage, deploys fail"


async def test_a_mention_is_two_events(people: People, line: Line) -> None:
    """message and app_mention tell of the same ts under different event ids."""
    said = await people("say", user="U0ANA", channel="C0HELP", text=MENTION)
    first, second = await line.payload(), await line.payload()
    assert [first["event"]["type"], second["event"]["type"]] == ["message", "app_mention"]
    assert first["event"]["ts"] == second["event"]["ts"] == said["ts"]
    assert first["event"]["client_msg_id"] == second["event"]["client_msg_id"]
    assert first["event_id"] != second["event_id"]


async def test_the_wrapper_is_slacks(people: People, line: Line) -> None:
    """Each event comes in Slack's whole wrapper."""
    said = await people("say", user="U0ANA", channel="C0HELP", text="1 < 2")
    payload = await line.payload()
    event = payload.pop("event")
    assert payload.pop("event_id").startswith("Ev")
    assert payload.pop("event_context").startswith("4-")
    assert payload == {
        "token": "sandbox-verification",
        "team_id": "T0SANDBOX",
        "api_app_id": "A0TRIAGE",
        "type": "event_callback",
        "event_time": 1_700_000_000,
        "is_ext_shared_channel": False,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": "T0SANDBOX",
                "user_id": "U0TRIAGE",
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
    }
    assert event.pop("client_msg_id")
    assert event.pop("blocks")[0]["type"] == "rich_text"
    assert event == {
        "type": "message",
        "user": "U0ANA",
        "ts": said["ts"],
        "event_ts": said["ts"],
        "channel": "C0HELP",
        "channel_type": "channel",
        "team": "T0SANDBOX",
        "text": "1 &lt; 2",
    }


async def test_a_reply_names_its_thread(people: People, line: Line) -> None:
    """A reply carries thread_ts and who began the thread."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    await people("say", user="U0OPS", channel="C0HELP", text="answer", thread_ts=root)
    await line.event()
    reply = await line.event()
    assert (reply["thread_ts"], reply["parent_user_id"]) == (root, "U0ANA")


async def test_the_bots_own_posts_are_echoed(slack: AsyncWebClient, line: Line) -> None:
    """What the bot posts comes back with its bot_id, even when it mentions itself, and is no app_mention."""
    await slack.chat_postMessage(channel="C0HELP", text="I am <@U0TRIAGE>")
    await slack.chat_postMessage(channel="C0HELP", text="again")
    first, second = await line.event(), await line.event()
    assert [first["type"], second["type"]] == ["message", "message"]
    assert (first["user"], first["bot_id"], first["app_id"]) == ("U0TRIAGE", "B0TRIAGE", "A0TRIAGE")
    assert first["bot_profile"]["team_id"] == "T0SANDBOX"


async def test_a_bolt_app_does_not_hear_itself(slack: AsyncWebClient, people: People, bot: Bot) -> None:
    """Bolt swallows the echo of its own posts and hears what people say."""
    await slack.chat_postMessage(channel="C0HELP", text="mine")
    await people("say", user="U0ANA", channel="C0HELP", text="yours")
    await bot.until(lambda body: body["event"]["text"] == "yours")
    assert [body["event"]["text"] for body in bot.bodies] == ["yours"]


async def test_an_edit_is_message_changed(people: People, line: Line) -> None:
    """The event carries both versions and the mark of the edit, and a ts of its own."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="befor"))["ts"]
    await people("edit", user="U0ANA", channel="C0HELP", ts=ts, text="before")
    await line.event()
    event = await line.event()
    assert (event["subtype"], event["hidden"]) == ("message_changed", True)
    assert (event["message"]["ts"], event["message"]["text"]) == (ts, "before")
    assert event["message"]["edited"]["user"] == "U0ANA"
    assert event["previous_message"]["text"] == "befor"
    assert event["ts"] > ts


async def test_a_deletion_is_message_deleted(people: People, line: Line) -> None:
    """The event names the deleted ts and what stood there."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="oops"))["ts"]
    await people("delete", user="U0ANA", channel="C0HELP", ts=ts)
    await line.event()
    event = await line.event()
    assert (event["subtype"], event["deleted_ts"], event["hidden"]) == ("message_deleted", ts, True)
    assert event["previous_message"]["text"] == "oops"
    assert await people.channel() == []


async def test_deleting_the_first_message_of_a_thread_leaves_a_tombstone(
    people: People, slack: AsyncWebClient, line: Line
) -> None:
    """Slack keeps the place of a deleted root until its last reply is gone."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    reply = (await slack.chat_postMessage(channel="C0HELP", text="answer", thread_ts=root))["ts"]
    await people("delete", user="U0ANA", channel="C0HELP", ts=root)
    await line.event()
    await line.event()
    event = await line.event()
    assert (event["subtype"], event["message"]["subtype"]) == ("message_changed", "tombstone")
    assert event["message"]["reply_count"] == 1
    assert event["previous_message"]["text"] == "question"
    thread = await slack.conversations_replies(channel="C0HELP", ts=root)
    assert [message["text"] for message in thread["messages"]] == ["This message was deleted.", "answer"]
    await slack.chat_delete(channel="C0HELP", ts=reply)
    deleted = [(await line.event())["deleted_ts"], (await line.event())["deleted_ts"]]
    assert deleted == [reply, root]
    assert await people.channel() == []


async def test_reactions_are_told(people: People, slack: AsyncWebClient, line: Line) -> None:
    """A reaction names who gave it, to what, and whose message it was."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="hi"))["ts"]
    await people("react", user="U0OPS", channel="C0HELP", ts=ts, name="eyes")
    await people("react", user="U0OPS", channel="C0HELP", ts=ts, name="eyes", remove=True)
    await line.event()
    added, removed = await line.event(), await line.event()
    assert [added.pop("type"), removed.pop("type")] == ["reaction_added", "reaction_removed"]
    assert removed.pop("event_ts") > added.pop("event_ts")
    assert added == removed
    assert added == {
        "user": "U0OPS",
        "reaction": "eyes",
        "item": {"type": "message", "channel": "C0HELP", "ts": ts},
        "item_user": "U0ANA",
    }


async def test_a_mention_in_direct_messages_is_a_message_only(people: People, line: Line) -> None:
    """There a mention is no event of its own; a reaction is."""
    ts = (await people("say", user="U0ANA", channel="U0TRIAGE", text=MENTION))["ts"]
    await people("react", user="U0ANA", channel="D0ANA", ts=ts, name="eyes")
    await people("say", user="U0ANA", channel="D0ANA", text="second")
    first, reaction, second = [await line.event() for _ in range(3)]
    assert (first["type"], first["channel"], first["channel_type"]) == ("message", "D0ANA", "im")
    assert (reaction["type"], reaction["item"]["channel"]) == ("reaction_added", "D0ANA")
    assert second["text"] == "second"


async def test_opening_the_home_is_told(people: People, line: Line) -> None:
    """app_home_opened names the person and the tab."""
    await people("home", user="U0ANA")
    event = await line.event()
    assert (event["type"], event["user"], event["tab"]) == ("app_home_opened", "U0ANA", "home")


@pytest.mark.parametrize("text", ["no mention", "mail triage@example.com"])
async def test_without_a_mention_there_is_one_event(people: People, line: Line, text: str) -> None:
    """Only a mention makes an app_mention."""
    await people("say", user="U0ANA", channel="C0HELP", text=text)
    await people("home", user="U0ANA")
    assert [(await line.event())["type"], (await line.event())["type"]] == ["message", "app_home_opened"]


async def test_a_reply_sent_to_the_channel_too(people: People, slack: AsyncWebClient, line: Line) -> None:
    """One event, `thread_broadcast`, with the root; it stands in the thread and in the channel's history."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    reply = await slack.chat_postMessage(channel="C0HELP", text="for all", thread_ts=root, reply_broadcast=True)
    assert reply["message"]["subtype"] == "thread_broadcast"
    await line.event()
    event = await line.event()
    assert (event["subtype"], event["thread_ts"], event["root"]["ts"]) == ("thread_broadcast", root, root)
    history = await slack.conversations_history(channel="C0HELP")
    assert [each["text"] for each in history["messages"]] == ["for all", "question"]
    thread = await slack.conversations_replies(channel="C0HELP", ts=root)
    assert [each["text"] for each in thread["messages"]] == ["question", "for all"]
    await slack.chat_delete(channel="C0HELP", ts=reply["ts"])
    assert len((await slack.conversations_history(channel="C0HELP"))["messages"]) == 1
    assert len((await slack.conversations_replies(channel="C0HELP", ts=root))["messages"]) == 1


async def test_a_reply_can_be_sent_to_the_channel_later(people: People, slack: AsyncWebClient) -> None:
    """chat.update with reply_broadcast shows it there."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    reply = (await slack.chat_postMessage(channel="C0HELP", text="answer", thread_ts=root))["ts"]
    await slack.chat_update(channel="C0HELP", ts=reply, text="answer", reply_broadcast=True)
    history = await slack.conversations_history(channel="C0HELP")
    assert [each["text"] for each in history["messages"]] == ["answer", "question"]


async def test_another_bots_message(people: People, line: Line) -> None:
    """It bears that bot's ids; the old way has a username and no user."""
    await people("say", user="U0ALERTS", channel="C0HELP", text="disk full <@U0TRIAGE>")
    message, mention = await line.event(), await line.event()
    assert (message["bot_id"], message["bot_profile"]["app_id"], mention["type"]) == (
        "B0ALERTS",
        "A0ALERTS",
        "app_mention",
    )
    assert "client_msg_id" not in message
    await people("say", user="U0ALERTS", channel="C0HELP", text="again", as_webhook=True)
    message = await line.event()
    assert (message["subtype"], message["bot_id"], message["username"]) == ("bot_message", "B0ALERTS", "Alerts")
    assert "user" not in message


async def test_a_bolt_app_hears_another_bot(people: People, bot: Bot) -> None:
    """Only its own posts are swallowed."""
    await people("say", user="U0ALERTS", channel="C0HELP", text="disk full")
    body = await bot.until(lambda body: body["event"]["text"] == "disk full")
    assert body["event"]["bot_id"] == "B0ALERTS"


async def test_the_home_with_its_view(people: People, slack: AsyncWebClient, line: Line) -> None:
    """What was published stands in the event of the next visit; the messages tab is told too."""
    view = {"type": "home", "blocks": [{"type": "divider"}]}
    published = (await slack.views_publish(user_id="U0ANA", view=view))["view"]
    await people("home", user="U0ANA")
    await people("home", user="U0ANA", tab="messages")
    first, second = await line.event(), await line.event()
    assert (first["tab"], first["view"]["id"]) == ("home", published["id"])
    assert second["tab"] == "messages"
    assert (await people.answer("/human/home", {"user": "U0ANA", "tab": "about"}))[0] == 400


async def test_every_event_has_its_own_id_in_the_wrapper(people: People, line: Line) -> None:
    """One mention is two events: same ts, two event_ids."""
    await people("say", user="U0ANA", channel="C0HELP", text="hi @triage")
    first, second = await line.payload(), await line.payload()
    assert first["event"]["ts"] == second["event"]["ts"]
    assert first["event_id"] != second["event_id"]
    assert first["authorizations"][0]["user_id"] == "U0TRIAGE"
