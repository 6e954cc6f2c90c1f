"""What the workspace sends, held against Slack's own samples: no key and no type of an imaginary Slack."""

import asyncio
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.server import Sandbox
from tests.sandbox import samples
from tests.sandbox.conftest import Line, People
from tests.sandbox.documented import ALWAYS, EVENTS, OF_SHARED, REQUIRED, WRAPPER

Json = dict[str, Any]

METADATA = {"event_type": "reply", "event_payload": {"id": 1}}
HOME = {"type": "home", "callback_id": "home", "blocks": [{"type": "divider"}]}


async def _answers(slack: AsyncWebClient, people: People, line: Line, modal: dict[str, Any]) -> list[tuple[str, Json]]:
    """One good answer of every method, some with more to tell."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question <https://a.example>"))["ts"]
    await people("react", user="U0OPS", channel="C0HELP", ts=root, name="wave")
    await people("edit", user="U0ANA", channel="C0HELP", ts=root, text="question!")
    await people("say", user="U0ALERTS", channel="C0HELP", text="alarm")
    await people("say", user="U0ALERTS", channel="C0HELP", text="alarm", as_webhook=True)
    await people("say", user="U0OPS", channel="C0HELP", text="mine", thread_ts=root, broadcast=True)
    steps: list[tuple[str, Json]] = [
        ("auth.test", {}),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a", "thread_ts": root, "metadata": METADATA}),
        ("chat.postMessage", {"channel": "C0HELP", "text": "a", "thread_ts": root, "reply_broadcast": True}),
        ("chat.update", {"channel": "C0HELP", "ts": "posted", "text": "b", "metadata": METADATA}),
        ("chat.postEphemeral", {"channel": "C0HELP", "user": "U0ANA", "text": "psst"}),
        ("chat.getPermalink", {"channel": "C0HELP", "message_ts": root}),
        ("reactions.add", {"channel": "C0HELP", "timestamp": root, "name": "eyes"}),
        ("reactions.get", {"channel": "C0HELP", "timestamp": root}),
        ("reactions.get", {"channel": "C0HELP", "timestamp": "posted"}),
        ("reactions.remove", {"channel": "C0HELP", "timestamp": root, "name": "eyes"}),
        ("conversations.history", {"channel": "C0HELP", "limit": 2}),
        ("conversations.history", {"channel": "C0HELP", "include_all_metadata": True}),
        ("conversations.replies", {"channel": "C0HELP", "ts": root, "limit": 2}),
        ("conversations.replies", {"channel": "C0HELP", "ts": root, "include_all_metadata": True}),
        ("chat.delete", {"channel": "C0HELP", "ts": "posted"}),
        ("conversations.list", {"types": "public_channel,private_channel,im", "limit": 2}),
        ("conversations.list", {"types": "public_channel,private_channel,im"}),
        ("conversations.info", {"channel": "C0HELP", "include_num_members": True}),
        ("conversations.info", {"channel": "D0ANA"}),
        ("conversations.members", {"channel": "C0HELP"}),
        ("conversations.open", {"users": "U0ANA", "return_im": True}),
        ("conversations.open", {"users": "U0ANA"}),
        ("conversations.create", {"name": "new"}),
        ("conversations.create", {"name": "hidden", "is_private": True}),
        ("conversations.join", {"channel": "#new"}),
        ("conversations.archive", {"channel": "#new"}),
        ("users.info", {"user": "U0ANA", "include_locale": True}),
        ("users.list", {}),
        ("users.getPresence", {"user": "U0ANA"}),
        ("usergroups.users.list", {"usergroup": "S0ONCALL"}),
        ("assistant.threads.setStatus", {"channel_id": "C0HELP", "thread_ts": root, "status": "at work"}),
        ("assistant.threads.setTitle", {"channel_id": "C0HELP", "thread_ts": root, "title": "T"}),
        ("assistant.threads.setSuggestedPrompts", {"channel_id": "D0ANA", "prompts": [{"title": "a", "message": "b"}]}),
        ("bots.info", {"bot": "B0TRIAGE"}),
        ("team.info", {}),
        ("views.publish", {"user_id": "U0ANA", "view": HOME}),
        ("views.open", {"trigger_id": "trigger", "view": modal}),
        ("views.push", {"trigger_id": "trigger", "view": modal}),
        ("views.update", {"view_id": "opened", "view": modal}),
    ]
    return await _carried_out(slack, people, line, steps)


async def _carried_out(
    slack: AsyncWebClient, people: People, line: Line, steps: list[tuple[str, Json]]
) -> list[tuple[str, Json]]:
    answers: list[tuple[str, Json]] = []
    known: dict[str, str] = {}
    for method, arguments in steps:
        if "trigger_id" in arguments:
            known["trigger"] = await _trigger(people, line)
        filled = {
            name: known.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()
        }
        answer = (await getattr(slack, method.replace(".", "_"))(**filled)).data  # the SDK's own encoding of each
        answers.append((method, answer))
        if method == "chat.postMessage":
            known["posted"] = answer["ts"]
        if method == "views.open":
            known["opened"] = answer["view"]["id"]
    return answers


async def _trigger(people: People, line: Line) -> str:
    asking = asyncio.create_task(people("command", user="U0ANA", channel="C0HELP", command="/triage"))
    while "trigger_id" not in (payload := await line.payload()):
        pass
    await asking
    trigger_id: str = payload["trigger_id"]
    return trigger_id


async def test_no_answer_has_a_key_that_slacks_sample_lacks(
    slack: AsyncWebClient, people: People, line: Line, modal: dict[str, Any]
) -> None:
    """Every method, with what Slack's page shows in every good answer."""
    answers = await _answers(slack, people, line, modal)
    socket = await slack.apps_connections_open(app_token="xapp-sandbox")  # noqa: S106  # the workspace's public token
    assert isinstance(socket.data, dict)
    answers.append(("apps.connections.open", socket.data))
    for method, answer in answers:
        assert list(samples.strangers(answer, samples.sample("api", method))) == [], method
    assert {method for method, _ in answers} == set(ALWAYS)
    for method, answer in answers:
        assert ALWAYS[method] <= set(answer), method


async def test_no_error_has_a_key_that_slacks_sample_lacks(slack: AsyncWebClient, workspace: Sandbox) -> None:
    """Refusals are answers too."""
    for method in sorted(ALWAYS):
        for arguments in ({}, {"channel": "C0NOWHERE", "blocks": [{}], "view": {}, "trigger_id": "x", "text": "a"}):
            try:
                answer = (await slack.api_call(method, json=arguments)).data
            except SlackApiError as refused:
                answer = refused.response.data
            assert list(samples.strangers(answer, samples.sample("api", method))) == [], method


async def _happenings(slack: AsyncWebClient, people: People) -> None:
    """Everything that makes an event."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="hi @triage *b*"))["ts"]
    posted = await slack.chat_postMessage(channel="C0HELP", text="mine", thread_ts=root, metadata=METADATA)
    await slack.chat_update(channel="C0HELP", ts=posted["ts"], text="mine, edited")
    await people("say", user="U0OPS", channel="C0HELP", text="all @triage", thread_ts=root, broadcast=True)
    await slack.chat_postMessage(channel="C0HELP", text="all", thread_ts=root, reply_broadcast=True)
    await people("say", user="U0ALERTS", channel="C0HELP", text="alarm <@U0TRIAGE>")
    await people("say", user="U0ALERTS", channel="C0HELP", text="alarm <@U0TRIAGE>", as_webhook=True)
    await people("react", user="U0OPS", channel="C0HELP", ts=root, name="eyes")
    await people("react", user="U0OPS", channel="C0HELP", ts=root, name="eyes", remove=True)
    await people("edit", user="U0ANA", channel="C0HELP", ts=root, text="hi!")
    await people("delete", user="U0ANA", channel="C0HELP", ts=root)
    await slack.chat_delete(channel="C0HELP", ts=posted["ts"])
    await people("home", user="U0ANA")
    await slack.views_publish(user_id="U0ANA", view=HOME)
    await people("home", user="U0ANA")
    room = (await people("channel", user="U0ANA", name="new"))["channel"]
    await people("invite", user="U0ANA", channel=room, who="U0TRIAGE")
    await slack.conversations_archive(channel=room)
    await people("unarchive", user="U0ANA", channel=room)
    await _goodbyes(people, room)
    hidden = (await people("channel", user="U0ANA", name="hidden", is_private=True))["channel"]
    await people("invite", user="U0ANA", channel=hidden, who="U0TRIAGE")
    await people("archive", user="U0ANA", channel=hidden)
    await people("unarchive", user="U0ANA", channel=hidden)
    await _goodbyes(people, hidden)
    for deed in ("share", "unshare"):
        await people(deed, user="U0ANA", channel="C0HELP", team="T0PARTNER")
    await people("deactivate", who="U0GUEST")
    await people("person", name="Max")
    await people("uninstall")
    await people("install")
    await people("say", user="U0ANA", channel="D0ANA", text="the end")


async def _goodbyes(people: People, room: str) -> None:
    """The rest of a channel's life."""
    await people("rename", user="U0ANA", channel=room, name=f"{room.lower()}-renamed")
    await people("topic", user="U0ANA", channel=room, text="the end is near")
    await people("invite", user="U0ANA", channel=room, who="U0OPS")
    await people("leave", user="U0OPS", channel=room)
    await people("kick", user="U0ANA", channel=room, who="U0TRIAGE")
    await people("invite", user="U0ANA", channel=room, who="U0TRIAGE")
    await people("delete_channel", user="U0ANA", channel=room)


async def _heard(slack: AsyncWebClient, people: People, line: Line) -> list[tuple[str, Json]]:
    await _happenings(slack, people)
    heard: list[tuple[str, Json]] = []
    while not heard or heard[-1][1]["event"].get("text") != "the end":
        payload = await line.payload()
        event = payload["event"]
        subtype = event.get("subtype")
        name = event["type"] if event["type"] != "message" else subtype or "message"
        heard.append((f"message {name}" if subtype in ("channel_archive", "channel_unarchive") else name, payload))
    return heard


@pytest.mark.founding(shared=True)
async def test_no_event_has_a_key_that_slacks_sample_lacks(slack: AsyncWebClient, people: People, line: Line) -> None:
    """Each kind of event, in its whole wrapper, with what Slack's page calls its fields."""
    heard = await _heard(slack, people, line)
    assert {name for name, _ in heard} >= {*EVENTS}
    for kind, payload in heard:
        if kind in EVENTS:
            known = {key: said for key, said in payload.items() if key not in OF_SHARED}
            assert list(samples.strangers(known, samples.sample("events", EVENTS[kind]))) == [], kind
            assert set(payload) >= WRAPPER, kind
            assert set(payload["event"]) >= REQUIRED[kind], kind


async def _payload(line: Line, kind: str) -> Json:
    while (payload := await line.payload()).get("type") != kind:
        pass
    return payload


async def test_no_press_has_a_key_that_slacks_sample_lacks(
    slack: AsyncWebClient, people: People, line: Line, every_element: tuple[list[dict[str, Any]], dict[str, Any]]
) -> None:
    """Every element, under a message, an ephemeral one, in a dialog and on the Home."""
    blocks, presses = every_element
    known = samples.sample("interactions", "BlockActionPayload")
    for place in ("message", "ephemeral", "home"):
        if place == "message":
            await slack.chat_postMessage(channel="C0GENERAL", text="a", blocks=blocks, metadata=METADATA)
        elif place == "ephemeral":
            await slack.chat_postEphemeral(channel="C0GENERAL", user="U0ANA", text="a", blocks=blocks)
        else:
            await slack.views_publish(user_id="U0OPS", view={"type": "home", "blocks": blocks})
        user = "U0OPS" if place == "home" else "U0ANA"
        where: Json = {"view_id": (await people.view(user))["home"]["id"]} if place == "home" else {}
        for action_id, value in presses.items():
            pressing = asyncio.create_task(people("press", user=user, action_id=action_id, value=value, **where))
            payload = await _payload(line, "block_actions")
            await pressing
            assert list(samples.strangers(payload, known)) == [], (place, action_id)
            assert {"type", "user", "api_app_id", "token", "container", "trigger_id", "team", "actions"} <= set(payload)
            assert {"action_id", "block_id", "type", "action_ts"} <= set(payload["actions"][0])


async def test_no_other_interaction_has_a_key_that_slacks_sample_lacks(
    slack: AsyncWebClient, people: People, line: Line, modal: dict[str, Any]
) -> None:
    """Submissions, closings, shortcuts and commands."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="hi"))["ts"]
    opened = []
    for _ in range(2):
        view = {**modal, "notify_on_close": True}
        opened.append((await slack.views_open(trigger_id=await _trigger(people, line), view=view))["view"]["id"])
    acts = [
        ("submit", {"view_id": opened[0], "values": {}}, "view_submission", "ViewSubmissionPayload"),
        ("close", {"view_id": opened[1]}, "view_closed", "ViewClosedPayload"),
        (
            "shortcut",
            {"channel": "C0HELP", "ts": ts, "callback_id": "ask"},
            "message_action",
            "MessageShortcutPayload",
        ),
    ]
    for act, body, kind, name in acts:
        doing = asyncio.create_task(people(act, user="U0ANA", **body))
        payload = await _payload(line, kind)
        await doing
        assert list(samples.strangers(payload, samples.sample("interactions", name))) == []


async def test_no_command_has_a_key_that_slacks_sample_lacks(people: People, line: Line) -> None:
    """All values are text, as Slack sends a form; only the flag is no text in the sample."""
    giving = asyncio.create_task(people("command", user="U0ANA", channel="C0HELP", command="/triage", text="a"))
    payload = await line.payload()
    await giving
    assert payload.pop("is_enterprise_install") == "false"
    known = samples.sample("interactions", "SlashCommandPayload")
    assert list(samples.strangers(payload, known)) == []
    assert {"command", "text", "response_url", "trigger_id", "user_id", "channel_id", "team_id"} <= set(payload)


def test_every_exception_has_its_reason() -> None:
    """A list of exceptions without reasons would be no list."""
    assert all(reason for reason in (*samples.OPEN.values(), *samples.EXTRA.values()))
