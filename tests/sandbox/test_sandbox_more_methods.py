"""Methods that fewer apps need: directory, schedule, streams, pins, unfurls, old dialogs, chats with an assistant."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.server import Sandbox
from tests.sandbox.conftest import Clock, Line, People

Json = dict[str, Any]


async def test_who_is_who(slack: AsyncWebClient) -> None:
    """By email, by profile, by membership, by group."""
    assert (await slack.users_lookupByEmail(email="ANA@sandbox.example"))["user"]["id"] == "U0ANA"
    with pytest.raises(SlackApiError, match="users_not_found"):
        await slack.users_lookupByEmail(email="nobody@sandbox.example")
    assert (await slack.users_profile_get(user="U0ANA"))["profile"]["display_name"] == "Ana"
    own = await slack.users_conversations(types="public_channel,im")
    assert {"C0HELP", "D0ANA"} <= {each["id"] for each in own["channels"]}
    of_ana = await slack.users_conversations(user="U0ANA", types="im")
    assert [each["id"] for each in of_ana["channels"]] == ["D0ANA"]
    (group,) = (await slack.usergroups_list(include_users=True))["usergroups"]
    assert (group["handle"], group["users"]) == ("oncall", ["U0OPS", "U0ADMIN"])
    assert (await slack.emoji_list())["emoji"] == {}


async def test_calls_without_a_token(workspace: Sandbox) -> None:
    """api.test gives back what it was given; blocks.validate points at the fault."""
    client = AsyncWebClient(base_url=workspace.api_url)
    assert (await client.api_test(foo="bar"))["args"]["foo"] == "bar"
    with pytest.raises(SlackApiError, match="my_error"):
        await client.api_test(error="my_error")
    good = [{"type": "section", "text": {"type": "mrkdwn", "text": "hi"}}]
    assert (await client.blocks_validate(blocks=good))["errors"] == []
    faulty = (await client.blocks_validate(blocks=[{"type": "header", "text": {"type": "mrkdwn", "text": "a"}}])).data
    assert isinstance(faulty, dict)
    assert faulty["errors"] == [{"message": "must be a valid enum value", "pointer": "/blocks/0/text/type"}]


async def test_a_scheduled_message(people: People, slack: AsyncWebClient, workspace: Sandbox, clock: Clock) -> None:
    """It comes when its time has come, unless it was taken back."""
    now = int(clock())
    kept = await slack.chat_scheduleMessage(channel="C0HELP", text="later", post_at=now + 60)
    gone = await slack.chat_scheduleMessage(channel="C0HELP", text="never", post_at=now + 60)
    await slack.chat_deleteScheduledMessage(channel="C0HELP", scheduled_message_id=gone["scheduled_message_id"])
    waiting = (await slack.chat_scheduledMessages_list())["scheduled_messages"]
    assert [each["id"] for each in waiting] == [kept["scheduled_message_id"]]
    assert await people.channel() == []
    workspace.advance(61)
    assert [each["text"] for each in await people.channel()] == ["later"]
    for post_at, error in ((now, "time_in_past"), (now + 200 * 86_400, "time_too_far")):
        with pytest.raises(SlackApiError, match=error):
            await slack.chat_scheduleMessage(channel="C0HELP", text="a", post_at=post_at)


async def test_a_stream(people: People, slack: AsyncWebClient) -> None:
    """A reply grows; once it is stopped nothing more is added."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="why?"))["ts"]
    place = {"channel": "C0HELP", "thread_ts": root}
    with pytest.raises(SlackApiError, match="missing_recipient_team_id"):
        await slack.chat_startStream(**place)
    started = await slack.chat_startStream(**place, recipient_user_id="U0ANA", recipient_team_id="T0SANDBOX")
    await slack.chat_appendStream(channel="C0HELP", ts=started["ts"], markdown_text="**Because** ")
    chunk = {"type": "markdown_text", "text": "of this."}
    await slack.chat_appendStream(channel="C0HELP", ts=started["ts"], chunks=[chunk])
    below = [{"type": "context", "elements": [{"type": "mrkdwn", "text": "done"}]}]
    await slack.chat_stopStream(channel="C0HELP", ts=started["ts"], blocks=below)
    (message,) = await people.channel()
    (reply,) = message["replies"]
    assert reply["text"] == "**Because** of this."
    assert [block["type"] for block in reply["blocks"]] == ["markdown", "context"]
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await slack.chat_appendStream(channel="C0HELP", ts=started["ts"], markdown_text="more")
    with pytest.raises(SlackApiError, match="message_not_owned_by_app"):
        await slack.chat_stopStream(channel="C0HELP", ts=root)


async def test_pins_and_bookmarks(people: People, slack: AsyncWebClient) -> None:
    """A pin is there once; bookmarks there are none."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="read this"))["ts"]
    await slack.pins_add(channel="C0HELP", timestamp=ts)
    with pytest.raises(SlackApiError, match="already_pinned"):
        await slack.pins_add(channel="C0HELP", timestamp=ts)
    assert [each["message"]["ts"] for each in (await slack.pins_list(channel="C0HELP"))["items"]] == [ts]
    await slack.pins_remove(channel="C0HELP", timestamp=ts)
    with pytest.raises(SlackApiError, match="no_pin"):
        await slack.pins_remove(channel="C0HELP", timestamp=ts)
    assert (await slack.bookmarks_list(channel_id="C0HELP"))["bookmarks"] == []


async def test_me_and_unfurls(people: People, slack: AsyncWebClient, line: Line) -> None:
    """/me has a subtype of its own; an unfurled link hangs on the message that has the link."""
    await slack.chat_meMessage(channel="C0HELP", text="is thinking")
    assert (await line.event())["subtype"] == "me_message"
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="see https://shop.example/1"))["ts"]
    await slack.chat_unfurl(channel="C0HELP", ts=ts, unfurls={"https://shop.example/1": {"text": "Order 1"}})
    assert (await people.channel())[-1]["attachments"][0]["text"] == "Order 1"
    with pytest.raises(SlackApiError, match="cannot_unfurl_url"):
        await slack.chat_unfurl(channel="C0HELP", ts=ts, unfurls={"https://elsewhere.example": {"text": "a"}})


async def test_attachments_are_kept(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """A message can consist of them, and what is in them can be pressed."""
    attachment = {"color": "#ff0000", "title": "Build 7", "text": "*red*", "blocks": buttons(again="b7")}
    posted = await slack.api_call("chat.postMessage", json={"channel": "C0HELP", "attachments": [attachment]})
    assert posted["message"]["attachments"][0]["title"] == "Build 7"
    await line.event()
    pressing = asyncio.create_task(people("press", user="U0ANA", action_id="again"))
    assert (await line.payload())["actions"][0]["value"] == "b7"
    await pressing
    await slack.chat_update(channel="C0HELP", ts=posted["ts"], text="green", attachments=[])
    assert "attachments" not in (await slack.conversations_history(channel="C0HELP"))["messages"][0]


async def test_a_connection_is_cut(people_of: type[People], clock: Clock) -> None:
    """The other company's people are out; frozen, the channel stays archived."""
    workspace = await Sandbox.start(clock=clock, shared=True)
    slack = AsyncWebClient(token="xoxb-sandbox", base_url=workspace.api_url)  # noqa: S106  # the public token
    async with slack_session(workspace) as http:
        people = people_of(http)
        await people("unshare", channel="C0SHARED", team="T0PARTNER", frozen=True)
        info = (await slack.conversations_info(channel="C0SHARED"))["channel"]
        assert (info["is_ext_shared"], info["is_archived"], info["is_frozen"]) == (False, True, True)
        assert "U0RITA" not in (await slack.conversations_members(channel="C0SHARED"))["members"]
    await workspace.close()


def slack_session(workspace: Sandbox) -> Any:
    import aiohttp

    return aiohttp.ClientSession(workspace.url)


DIALOG = {
    "callback_id": "ride",
    "title": "Request a ride",
    "submit_label": "Request",
    "notify_on_cancel": True,
    "state": "limo",
    "elements": [
        {"type": "text", "label": "From", "name": "origin"},
        {"type": "select", "label": "Type", "name": "kind", "data_source": "external"},
    ],
}


async def _dialog(people: People, slack: AsyncWebClient, line: Line) -> str:
    giving = asyncio.create_task(people("command", user="U0ANA", channel="C0HELP", command="/ride"))
    payload = await line.payload()
    await giving
    await slack.dialog_open(trigger_id=payload["trigger_id"], dialog=DIALOG)
    view_id: str = (await people.view())["views"][-1]["id"]
    return view_id


async def test_a_dialog_of_the_old_kind(people: People, slack: AsyncWebClient, line: Line) -> None:
    """It is filled in like any other, and told in the words of its time."""
    view = await _dialog(people, slack, line)
    asking = asyncio.create_task(people("suggest", user="U0ANA", action_id="kind"))
    frame = await line.frame()
    assert (frame["payload"]["type"], frame["payload"]["name"]) == ("dialog_suggestion", "kind")
    await line.ack(frame, {"options": [{"label": "Limo", "value": "limo"}]})
    assert (await asking)["options"][0]["value"] == "limo"
    body = {"user": "U0ANA", "view_id": view, "values": {"origin": {"origin": "home"}, "kind": {"kind": "limo"}}}
    for answer, expected in (({"errors": [{"name": "origin", "error": "too far"}]}, {"origin": "too far"}), ({}, None)):
        submitting = asyncio.create_task(people("submit", **body))
        frame = await line.frame()
        payload = frame["payload"]
        await line.ack(frame, answer)
        assert (await submitting).get("errors") == expected
    assert payload["submission"] == {"origin": "home", "kind": "limo"}
    assert (payload["type"], payload["state"], payload["channel"]["id"]) == ("dialog_submission", "limo", "C0HELP")
    assert (await people.view())["views"] == []


async def test_a_dialog_of_the_old_kind_is_cancelled(people: People, slack: AsyncWebClient, line: Line) -> None:
    """The app hears of it where it asked to."""
    view = await _dialog(people, slack, line)
    closing = asyncio.create_task(people("close", user="U0ANA", view_id=view))
    assert (await line.payload())["type"] == "dialog_cancellation"
    await closing


async def test_a_chat_with_an_assistant(people: People, slack: AsyncWebClient, line: Line) -> None:
    """It begins a thread in the direct messages; going elsewhere is told, too."""
    begun = await people("assistant", user="U0ANA", channel="C0HELP")
    thread = (await line.event())["assistant_thread"]
    assert (thread["channel_id"], thread["thread_ts"], thread["context"]["channel_id"]) == (
        "D0ANA",
        begun["thread_ts"],
        "C0HELP",
    )
    await people("context", user="U0ANA", thread_ts=begun["thread_ts"], channel="C0GENERAL")
    event = await line.event()
    assert (event["type"], event["assistant_thread"]["context"]["channel_id"]) == (
        "assistant_thread_context_changed",
        "C0GENERAL",
    )
    await slack.chat_postMessage(channel="D0ANA", thread_ts=begun["thread_ts"], text="Hi!")
    await people("context", user="U0ANA", channel="C0HELP")
    await line.event()
    (entity,) = (await line.event())["context"]["entities"]
    assert (entity["type"], entity["value"]) == ("slack#/types/channel_id", "C0HELP")


AGENT = """
display_information: {name: Triage}
features: {agent_view: {agent_description: a}}
oauth_config: {scopes: {bot: [chat:write, "assistant:write", "im:history"]}}
settings: {event_subscriptions: {bot_events: [message.im]}}
"""


async def test_an_agent_has_no_assistant_threads(people_of: type[People], clock: Clock, tmp_path: Path) -> None:
    """Its manifest says which of the two it is; prompts in one of its threads are taken and not shown."""
    file = tmp_path / "manifest.yml"
    file.write_text(AGENT)
    workspace = await Sandbox.start(clock=clock, manifest=file)
    slack = AsyncWebClient(token="xoxb-sandbox", base_url=workspace.api_url)  # noqa: S106  # the public token
    async with slack_session(workspace) as http:
        people = people_of(http)
        assert (await people.answer("/human/assistant", {"user": "U0ANA"}))[0] == 400
        ts = (await people("say", user="U0ANA", channel="D0ANA", text="hi"))["ts"]
        prompts = [{"title": "a", "message": "b"}]
        for place in ({"thread_ts": ts}, {}):
            await slack.assistant_threads_setSuggestedPrompts(channel_id="D0ANA", prompts=prompts, **place)
        (dm,) = (await people.view())["dms"]
        assert [each["thread_ts"] for each in dm["threads"]] == [None]
    await workspace.close()


async def test_a_session_that_works_can_be_stopped(
    people: People, slack: AsyncWebClient, line: Line, workspace: Sandbox
) -> None:
    """By an event of Slack's own button, which no post, only its app or an hour takes away."""
    ts = (await people("say", user="U0ANA", channel="D0ANA", text="hi"))["ts"]
    await line.event()
    place, pressed = {"channel_id": "D0ANA", "thread_ts": ts}, {"user": "U0ANA", "channel": "D0ANA"}

    async def can_stop() -> bool:
        return any(each["can_be_stopped"] for each in (await people.view())["dms"][0]["threads"])

    assert (await people.answer("/human/stop", {**pressed, "thread_ts": ts}))[0] == 404
    answer = (await slack.agents_sessions_setStatus(status="processing", **place)).data
    assert {*answer} == {"ok", "status", "agent_status", "title"}
    await slack.chat_postMessage(channel="D0ANA", thread_ts=ts, text="still at it")
    await line.event()
    await people("stop", thread_ts=ts, **pressed)
    event = await line.event()
    assert event.pop("event_ts")
    named = {"channel": "D0ANA", "thread_ts": ts, "user": "U0ANA", "streaming_message_ts": []}
    assert event == {"type": "agent_session_stopped", **named}
    assert await can_stop()
    await slack.agents_sessions_setStatus(status="active", **place)
    assert not await can_stop()
    await slack.agents_sessions_setStatus(status="processing", **place)
    workspace.advance(3_601)
    assert not await can_stop()
    for wrong in ({"status": "is thinking"}, {"status": "active", "title": "t" * 201}):
        with pytest.raises(SlackApiError, match="invalid_arguments"):
            await slack.agents_sessions_setStatus(**place, **wrong)


@pytest.mark.parametrize(("view", "said"), [("agent_view", ""), ("assistant_view", "not_authorized")])
async def test_a_session_without_stop(
    people_of: type[People], clock: Clock, tmp_path: Path, view: str, said: str
) -> None:
    """An app that is not told of stops is warned, and shows none; one that is no agent has no sessions."""
    file = tmp_path / "manifest.yml"
    file.write_text(AGENT.replace("agent_view", view))
    workspace = await Sandbox.start(clock=clock, manifest=file)
    slack = AsyncWebClient(token="xoxb-sandbox", base_url=workspace.api_url)  # noqa: S106  # the public token
    async with slack_session(workspace) as http:
        ts = (await people_of(http)("say", user="U0ANA", channel="D0ANA", text="hi"))["ts"]
        body = {"channel_id": "D0ANA", "thread_ts": ts, "status": "processing"}
        with pytest.raises(SlackApiError, match=said) if said else nullcontext():
            answer = await slack.api_call("agents.sessions.setStatus", json=body)
            assert answer["warning"] == "missing_agent_session_stopped_event_subscription"
        pressed = {"user": "U0ANA", "channel": "D0ANA", "thread_ts": ts}
        assert (await people_of(http).answer("/human/stop", pressed))[0] == 404
    await workspace.close()


@pytest.mark.parametrize("method", ["setSuggestedPrompts", "setTitle"])
async def test_prompts_and_titles_need_a_scope_of_their_own(clock: Clock, tmp_path: Path, method: str) -> None:
    """chat:write opens assistant.threads.setStatus alone."""
    file = tmp_path / "manifest.yml"
    file.write_text(AGENT.replace(', "assistant:write"', ""))
    workspace = await Sandbox.start(clock=clock, manifest=file)
    slack = AsyncWebClient(token="xoxb-sandbox", base_url=workspace.api_url)  # noqa: S106  # the public token
    with pytest.raises(SlackApiError) as refused:
        await slack.api_call(f"assistant.threads.{method}", json={"channel_id": "D0ANA"})
    assert (refused.value.response["error"], refused.value.response["needed"]) == ("missing_scope", "assistant:write")
    await workspace.close()
