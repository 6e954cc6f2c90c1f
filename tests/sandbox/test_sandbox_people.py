"""The human side: what people do, see and are told."""

import asyncio
import json
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.models import Person
from tests.sandbox.conftest import Bot, People


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        ("say", {}, 400, "missing_field: user"),
        ("say", {"user": 7}, 400, "not_a_text: user"),
        ("say", {"user": "U0NOBODY"}, 404, "user_not_found"),
        ("say", {"user": "U0TRIAGE", "channel": "C0HELP", "text": "a"}, 400, "user_is_a_bot"),
        ("say", {"user": "U0ANA", "channel": "C0NOWHERE", "text": "a"}, 404, "channel_not_found"),
        ("say", {"user": "U0ANA", "channel": "D0OPS", "text": "a"}, 404, "channel_not_found"),
        ("say", {"user": "U0ANA", "channel": "C0HELP"}, 400, "missing_field: text"),
        ("say", {"user": "U0ANA", "channel": "C0HELP", "files": "a"}, 400, "not_a_list_of_objects: files"),
        ("say", {"user": "U0ANA", "channel": "C0HELP", "text": "a", "thread_ts": "1.0"}, 404, "thread_not_found"),
        ("edit", {"user": "U0OPS", "channel": "C0HELP", "ts": "anas", "text": "b"}, 400, "cant_update_message"),
        ("delete", {"user": "U0OPS", "channel": "C0HELP", "ts": "anas"}, 400, "cant_delete_message"),
        ("delete", {"user": "U0ANA", "channel": "C0HELP", "ts": "1.0"}, 404, "message_not_found"),
        ("react", {"user": "U0ANA", "channel": "C0HELP", "ts": "anas", "name": "eyes", "remove": "yes"}, 400, None),
        (
            "react",
            {"user": "U0ANA", "channel": "C0HELP", "ts": "anas", "name": "x", "remove": True},
            400,
            "no_reaction",
        ),
        ("press", {"user": "U0ANA"}, 400, "missing_field: action_id"),
        ("submit", {"user": "U0ANA", "view_id": "V0", "values": {}}, 404, "view_not_found"),
        ("submit", {"user": "U0ANA", "view_id": "V0", "values": []}, 400, "not_an_object: values"),
        ("close", {"user": "U0ANA", "view_id": "V0"}, 404, "view_not_found"),
        ("command", {"user": "U0ANA", "channel": "C0HELP", "command": "triage"}, 400, "invalid_command"),
        ("presence", {"user": "U0ANA"}, 400, "not_a_flag: active"),
        ("home", {"user": "U0NOBODY"}, 404, "user_not_found"),
    ],
)
async def test_what_makes_no_sense_is_told_apart(people: People, path: str, body: Any, status: int, error: Any) -> None:
    """What is not there is a 404, what makes no sense a 400, both in JSON."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="hi"))["ts"]
    body = {name: ts if value == "anas" else value for name, value in body.items()}
    got, answer = await people.answer(f"/human/{path}", body)
    assert (got, answer["ok"]) == (status, False)
    assert error is None or answer["error"] == error


async def test_a_body_that_is_no_json_object(people: People) -> None:
    """Bad JSON is named as such."""
    for body, error in (("{", "invalid_json"), ("[]", "json_not_object")):
        answer = await people.session.post("/human/say", data=body)
        assert (answer.status, (await answer.json())["error"]) == (400, error)


async def test_the_view_shows_threads_reactions_and_edits(people: People, slack: AsyncWebClient) -> None:
    """Root messages stand at the top, replies inside them, each with what happened to it."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    metadata = {"event_type": "notice", "event_payload": {"kind": "notice"}}
    await slack.chat_postMessage(channel="C0HELP", text="answer", thread_ts=root, metadata=metadata)
    await people("react", user="U0OPS", channel="C0HELP", ts=root, name="eyes")
    await people("edit", user="U0ANA", channel="C0HELP", ts=root, text="question!")
    view = await people.view("U0OPS")
    assert (view["user"], view["views"], view["home"]) == ("U0OPS", [], None)
    assert [each["name"] for each in view["channels"]] == ["help-platform", "general"]
    assert view["dms"] == [{"id": "D0OPS", "with": "U0TRIAGE", "messages": [], "threads": []}]
    (message,) = view["channels"][0]["messages"]
    assert (message["text"], message["edited"]) == ("question!", True)
    assert message["reactions"] == [{"name": "eyes", "users": ["U0OPS"]}]
    (reply,) = message["replies"]
    assert (reply["user"], reply["metadata"], reply["edited"]) == ("U0TRIAGE", metadata, False)


async def test_direct_messages_are_private(people: People, slack: AsyncWebClient) -> None:
    """Nobody sees another person's direct messages."""
    await slack.chat_postMessage(channel="U0OPS", text="for Olu")
    assert [each["text"] for each in await people.channel("U0OPS", "D0OPS")] == ["for Olu"]
    assert "for Olu" not in json.dumps(await people.view("U0ANA"))


async def test_an_ephemeral_message_is_seen_by_one_person(people: People, slack: AsyncWebClient) -> None:
    """It stands in its place on one screen, in no history, and cannot be changed by its ts."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    await slack.chat_postMessage(channel="C0HELP", text="reply", thread_ts=root)
    whole = await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst")
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="in thread", thread_ts=root)
    first, second = await people.channel("U0OPS")
    assert first["replies"][1]["ephemeral"] is True
    assert (second["text"], second["ephemeral"]) == ("psst", True)
    assert len(await people.channel("U0ANA")) == 1
    assert len((await slack.conversations_history(channel="C0HELP"))["messages"]) == 1
    with pytest.raises(SlackApiError, match="message_not_found"):
        await slack.chat_update(channel="C0HELP", ts=whole["message_ts"], text="louder")


async def test_who_is_away_gets_no_ephemeral_message(people: People, slack: AsyncWebClient) -> None:
    """Slack says ok, and nothing is shown; back again, the next one is."""
    await people("presence", user="U0OPS", active=False)
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="missed")
    await people("presence", user="U0OPS", active=True)
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="seen")
    assert [each["text"] for each in await people.channel("U0OPS")] == ["seen"]


async def test_a_command_is_answered_at_once(people: People, bot: Bot) -> None:
    """The immediate answer is returned, and shown to that person alone."""
    bot.command = "the queue is empty"
    answer = await people("command", user="U0ANA", channel="C0HELP", command="/triage", text="status")
    assert answer == {"ok": True, "response": {"text": "the queue is empty"}}
    body = await bot.until(lambda body: "command" in body)
    assert (body["text"], body["user_id"], body["channel_name"]) == ("status", "U0ANA", "help-platform")
    (shown,) = await people.channel("U0ANA")
    assert (shown["text"], shown["ephemeral"]) == ("the queue is empty", True)


@pytest.mark.hasty
async def test_a_command_nobody_acknowledges_times_out(people: People, bot: Bot) -> None:
    """Slack says operation_timeout when the app does not answer in time."""
    answer = await people("command", user="U0ANA", channel="C0HELP", command="/triage")
    assert answer == {"ok": False, "error": "operation_timeout"}


async def test_the_stream_begins_with_the_view_and_follows_it(people: People, slack: AsyncWebClient) -> None:
    """The first frame comes immediately, the next when something changed for this person, many changes in one."""
    async with people.session.get("/human/stream", params={"user": "U0ANA"}) as stream:
        assert stream.content_type == "text/event-stream"
        assert _frame(await _line(stream)) == await people.view()
        await slack.chat_postMessage(channel="U0OPS", text="not for Ana")
        for n in range(20):
            await slack.chat_postMessage(channel="C0HELP", text=str(n))
        frames = [_frame(await _line(stream))]
        while len(frames[-1]["channels"][0]["messages"]) < 20:
            frames.append(_frame(await _line(stream)))
        assert frames[-1] == await people.view()
        assert len(frames) < 20


@pytest.mark.founding(
    people=(Person("U0OTIS", "Otis", "Operator"),), hints={"C0HELP": "Ask."}, notice="A play.", shared=True
)
async def test_a_workspace_begins_with_further_people_hints_and_a_notice(people: People, slack: AsyncWebClient) -> None:
    """They are members of each channel, and the newest message of the app to each is known to everybody's page."""
    seen = await people.view("U0OTIS")
    assert [(each["id"], each["hint"]) for each in seen["channels"]] == [
        ("C0HELP", "Ask."),
        ("C0GENERAL", ""),
        ("C0SHARED", ""),
    ]
    assert (seen["notice"], seen["newest_direct"]) == ("A play.", {})
    posted = await slack.chat_postMessage(channel="U0OTIS", text="for you")
    assert (await people.view())["newest_direct"] == {"U0OTIS": posted["ts"]}


async def _line(stream: Any) -> bytes:
    line: bytes = await asyncio.wait_for(stream.content.readuntil(b"\n\n"), 5)
    assert line.startswith(b"data: ")
    return line


def _frame(line: bytes) -> dict[str, Any]:
    frame: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
    return frame
