"""Buttons and choices: what a press tells the app, and what it may answer."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.sandbox.conftest import Bot, Clock, Line, People


async def test_a_press_carries_all_the_app_needs(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """The payload of a press in a thread is Slack's block_actions."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]
    card = await slack.chat_postMessage(channel="C0HELP", text="card", thread_ts=root, blocks=buttons(approve="d1"))
    pressing = asyncio.create_task(people("press", user="U0OPS", action_id="approve"))
    payloads = [await line.payload() for _ in range(3)]
    payload = next(each for each in payloads if each["type"] == "block_actions")
    assert await pressing == {"ok": True, "acked": True}
    assert payload["user"] == {"id": "U0OPS", "username": "olu", "name": "olu", "team_id": "T0SANDBOX"}
    assert payload["container"] == {
        "type": "message",
        "message_ts": card["ts"],
        "channel_id": "C0HELP",
        "is_ephemeral": False,
        "thread_ts": root,
    }
    assert payload["channel"] == {"id": "C0HELP", "name": "help-platform"}
    assert payload["message"]["ts"] == card["ts"]
    (action,) = payload["actions"]
    assert action.pop("action_ts")
    assert action == {
        "action_id": "approve",
        "block_id": "row",
        "type": "button",
        "text": {"type": "plain_text", "text": "approve", "emoji": True},
        "value": "d1",
    }


@pytest.mark.parametrize(
    "wish",
    [
        {"action_id": "other"},
        {"action_id": "approve", "value": "d2"},
        {"action_id": "approve", "channel": "C0GENERAL"},
        {"action_id": "approve", "message_ts": "1.0"},
        {"action_id": "approve", "view_id": "V0"},
        {"user": "U0ANA", "action_id": "approve"},
    ],
)
async def test_a_button_that_is_not_there_cannot_be_pressed(
    people: People, slack: AsyncWebClient, buttons: Callable[..., list[dict[str, Any]]], wish: Any
) -> None:
    """Wrong action, value, place or person: the answer is 404, and the app hears nothing."""
    await slack.chat_postMessage(channel="U0OPS", text="card", blocks=buttons(approve="d1"))
    status, answer = await people.answer("/human/press", {"user": "U0OPS", **wish})
    assert (status, answer) == (404, {"ok": False, "error": "button_not_found"})


async def test_the_newest_button_is_pressed(
    people: People, slack: AsyncWebClient, bot: Bot, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """Of two cards with the same action the newer one is meant, unless the value names the older."""
    for value in ("old", "new"):
        await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(approve=value))
    await people("press", user="U0ANA", action_id="approve")
    await people("press", user="U0ANA", action_id="approve", value="old")
    pressed = [body["actions"][0]["value"] for body in bot.bodies if "actions" in body]
    assert pressed == ["new", "old"]


async def test_a_press_under_an_ephemeral_message_has_no_message(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """Slack leaves the message out; only the response_url can change it."""
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst", blocks=buttons(dismiss="d1"))
    pressing = asyncio.create_task(people("press", user="U0OPS", action_id="dismiss"))
    payload = await line.payload()
    await pressing
    assert payload["container"]["is_ephemeral"] is True
    assert "message" not in payload
    answered = await AsyncWebhookClient(payload["response_url"]).send(text="gone", replace_original=True)
    assert answered.status_code == 200
    (shown,) = await people.channel("U0OPS")
    assert (shown["text"], shown["ephemeral"]) == ("gone", True)
    await AsyncWebhookClient(payload["response_url"]).send(delete_original=True)
    assert await people.channel("U0OPS") == []


async def test_a_response_url_serves_five_times_in_half_an_hour(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]], clock: Clock
) -> None:
    """After that the app has to find another way."""
    await slack.chat_postEphemeral(channel="C0HELP", user="U0OPS", text="psst", blocks=buttons(dismiss="d1"))
    urls = []
    for _ in range(2):
        pressing = asyncio.create_task(people("press", user="U0OPS", action_id="dismiss"))
        urls.append((await line.payload())["response_url"])
        await pressing
    used = [(await AsyncWebhookClient(urls[0]).send(text="hi")).status_code for _ in range(6)]
    assert used == [200] * 5 + [404]
    clock.now += 30 * 60 + 1
    assert (await AsyncWebhookClient(urls[1]).send(text="hi")).status_code == 404


async def test_a_choice_is_pressed_by_its_value(people: People, slack: AsyncWebClient, bot: Bot) -> None:
    """A select carries the chosen option, a user select the chosen person."""
    option = {"text": {"type": "plain_text", "text": "Now"}, "value": "now"}
    elements = [
        {"type": "static_select", "action_id": "when", "options": [option]},
        {"type": "users_select", "action_id": "who"},
    ]
    blocks = [{"type": "actions", "elements": elements}]
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=blocks)
    await people("press", user="U0ANA", action_id="when", value="now")
    await people("press", user="U0ANA", action_id="who", value="U0OPS")
    when, who = (body["actions"][0] for body in bot.bodies if "actions" in body)
    assert when["selected_option"]["value"] == "now"
    assert who["selected_user"] == "U0OPS"
    assert (await people.answer("/human/press", {"user": "U0ANA", "action_id": "when", "value": "x"}))[0] == 404


@pytest.mark.hasty
async def test_a_press_nobody_acknowledges(
    people: People, slack: AsyncWebClient, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """The press itself went through; the app did not answer."""
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(approve="d1"))
    assert await people("press", user="U0ANA", action_id="approve") == {"ok": True, "acked": False}


async def test_every_element_carries_its_own_value(
    people: People, slack: AsyncWebClient, line: Line, every_element: tuple[list[dict[str, Any]], dict[str, Any]]
) -> None:
    """Under the key that Slack uses for its kind, and again in the state of the message."""
    blocks, presses = every_element
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=blocks)
    await line.event()
    carried = {}
    for action_id, value in presses.items():
        pressing = asyncio.create_task(people("press", user="U0ANA", action_id=action_id, value=value))
        payload = await line.payload()
        assert (await pressing)["acked"]
        (action,) = payload["actions"]
        key = next((key for key in action if key.startswith("selected_")), "value")
        carried[action_id] = (key, action.get(key))
        if action_id not in ("button", "overflow"):
            assert payload["state"]["values"]["row"][action_id][key] == action[key]
    one = {"text": {"type": "plain_text", "text": "One", "emoji": True}, "value": "one"}
    assert carried == {
        "static_select": ("selected_option", one),
        "multi_static_select": ("selected_options", [one]),
        "users_select": ("selected_user", "U0OPS"),
        "multi_users_select": ("selected_users", ["U0OPS"]),
        "channels_select": ("selected_channel", "C0HELP"),
        "multi_channels_select": ("selected_channels", ["C0HELP"]),
        "conversations_select": ("selected_conversation", "C0GENERAL"),
        "multi_conversations_select": ("selected_conversations", ["C0HELP"]),
        "overflow": ("selected_option", one),
        "radio_buttons": ("selected_option", one),
        "checkboxes": ("selected_options", [one]),
        "datepicker": ("selected_date", "2026-02-01"),
        "timepicker": ("selected_time", "12:30"),
        "datetimepicker": ("selected_date_time", 1_700_000_000),
        "button": ("value", None),
    }


async def test_feedback_is_given_by_one_of_two_buttons(people: People, slack: AsyncWebClient, line: Line) -> None:
    """The value tells the good half from the bad one."""
    halves = {
        f"{name}_button": {"text": {"type": "plain_text", "text": name}, "value": name}
        for name in ("positive", "negative")
    }
    elements = [{"type": "feedback_buttons", "action_id": "opinion", **halves}]
    await slack.chat_postMessage(channel="C0HELP", text="a", blocks=[{"type": "context_actions", "elements": elements}])
    await line.event()
    for value in ("positive", "negative"):
        pressing = asyncio.create_task(people("press", user="U0ANA", action_id="opinion", value=value))
        assert (await line.payload())["actions"][0]["value"] == value
        await pressing


async def test_a_shortcut_on_a_message(people: People, line: Line) -> None:
    """It carries the whole message, a trigger and a way to answer."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="hi"))["ts"]
    await line.event()
    taking = asyncio.create_task(people("shortcut", user="U0OPS", channel="C0HELP", ts=ts, callback_id="ask_about"))
    payload = await line.payload()
    assert await taking == {"ok": True, "acked": True}
    assert (payload["type"], payload["callback_id"], payload["message"]["ts"]) == ("message_action", "ask_about", ts)
    assert payload["trigger_id"]
    assert payload["response_url"]
    body = {"user": "U0OPS", "channel": "C0HELP", "ts": "1.0", "callback_id": "ask_about"}
    assert (await people.answer("/human/shortcut", body))[0] == 404


async def test_a_global_shortcut(people: People, line: Line) -> None:
    """Without a message it belongs to no place."""
    taking = asyncio.create_task(people("shortcut", user="U0OPS", callback_id="new"))
    payload = await line.payload()
    await taking
    assert (payload["type"], payload["callback_id"]) == ("shortcut", "new")
    assert "channel" not in payload
