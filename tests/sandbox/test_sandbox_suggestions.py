"""Menus whose options the app offers while a person types."""

import asyncio
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.sandbox.conftest import Line, People

Json = dict[str, Any]


def _words(text: str) -> Json:
    return {"type": "plain_text", "text": text}


MENU = {"type": "external_select", "action_id": "who", "min_query_length": 0}
CAT, DOG = ({"text": _words(name), "value": name.lower()} for name in ("Cat", "Dog"))
VIEW = {
    "type": "modal",
    "title": _words("Pick"),
    "submit": _words("Go"),
    "blocks": [
        {"type": "input", "block_id": "one", "label": _words("One"), "element": MENU},
        {
            "type": "input",
            "block_id": "many",
            "label": _words("Many"),
            "element": {**MENU, "type": "multi_external_select", "action_id": "all"},
        },
    ],
}


async def _asked(people: People, line: Line, answer: Json, **wish: str) -> tuple[Json, Json]:
    """What the app was asked, and what the person is offered."""
    asking = asyncio.create_task(people("suggest", user="U0ANA", **wish))
    frame = await line.frame()
    await line.ack(frame, answer)
    return frame["payload"], await asking


async def _dialog(people: People, slack: AsyncWebClient, line: Line) -> str:
    giving = asyncio.create_task(people("command", user="U0ANA", channel="C0HELP", command="/pick"))
    payload = await line.payload()
    await giving
    view_id: str = (await slack.views_open(trigger_id=payload["trigger_id"], view=VIEW))["view"]["id"]
    return view_id


async def test_a_dialog_with_options_of_the_app(people: People, slack: AsyncWebClient, line: Line) -> None:
    """Options and groups are offered, chosen, and carried whole by the submission."""
    view = await _dialog(people, slack, line)
    payload, offered = await _asked(people, line, {"options": [CAT]}, action_id="who", text="ca")
    assert (payload["type"], payload["value"], payload["block_id"]) == ("block_suggestion", "ca", "one")
    assert (payload["view"]["id"], payload["container"]["view_id"]) == (view, view)
    assert offered["options"] == [CAT]
    groups = [{"label": _words("Pets"), "options": [CAT, DOG]}]
    await _asked(people, line, {"option_groups": groups}, action_id="all")
    values = {"one": {"who": "cat"}, "many": {"all": ["cat", "dog"]}}
    submitting = asyncio.create_task(people("submit", user="U0ANA", view_id=view, values=values))
    state = (await line.payload())["view"]["state"]["values"]
    assert (await submitting)["ok"]
    assert state["one"]["who"] == {"type": "external_select", "selected_option": CAT}
    assert state["many"]["all"]["selected_options"] == [CAT, DOG]


async def test_a_menu_under_a_message(people: People, slack: AsyncWebClient, line: Line) -> None:
    """The app learns under which message; the choice is an action with the offered option."""
    blocks = [{"type": "actions", "block_id": "row", "elements": [MENU]}]
    ts = (await slack.chat_postMessage(channel="C0HELP", text="who?", blocks=blocks))["ts"]
    await line.payload()
    payload, _ = await _asked(people, line, {"options": [CAT]}, action_id="who", text="c", channel="C0HELP")
    assert (payload["message"]["ts"], payload["channel"]["id"]) == (ts, "C0HELP")
    pressing = asyncio.create_task(people("press", user="U0ANA", action_id="who", value="cat"))
    assert (await line.payload())["actions"][0]["selected_option"] == CAT
    await pressing


async def test_only_what_was_offered_can_be_chosen(people: People, slack: AsyncWebClient, line: Line) -> None:
    """An option that the app never offered is no option."""
    view = await _dialog(people, slack, line)
    body = {"user": "U0ANA", "view_id": view, "values": {"one": {"who": "cow"}, "many": {"all": []}}}
    assert (await people.answer("/human/submit", body)) == (400, {"ok": False, "error": "no_such_option"})


async def test_options_are_held_to_slacks_limits(people: People, slack: AsyncWebClient, line: Line) -> None:
    """What Slack would not show is refused, and the developer told where the fault is."""
    await _dialog(people, slack, line)
    body = {"user": "U0ANA", "action_id": "who", "text": ""}
    asking = asyncio.create_task(people.answer("/human/suggest", body))
    await line.ack(await line.frame(), {"options": [{"text": _words("a" * 76), "value": "a"}]})
    status, answer = await asking
    assert (status, answer["error"]) == (400, "invalid_options")
    assert "/options/0/text" in answer["messages"][0]


@pytest.mark.parametrize(
    "value",
    [7, True, {"a": 1}, ["a"]],
)
async def test_a_value_of_another_type_is_refused(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any], value: Any
) -> None:
    """A dialog's text takes a string and nothing else; the app is not bothered."""
    giving = asyncio.create_task(people("command", user="U0ANA", channel="C0HELP", command="/edit"))
    payload = await line.payload()
    await giving
    view = (await slack.views_open(trigger_id=payload["trigger_id"], view=modal))["view"]["id"]
    body = {"user": "U0ANA", "view_id": view, "values": {"reply": {"text": value}}}
    status, answer = await people.answer("/human/submit", body)
    assert (status, answer["error"]) == (400, "invalid_value")


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        ("eyes", True),
        ("white_check_mark", True),
        ("+1::skin-tone-3", True),
        ("flag-de", True),
        ("sauropod", True),
        ("no_such_emoji", False),
        ("", False),
        ("a", False),
    ],
)
async def test_an_emoji_must_be_known(people: People, slack: AsyncWebClient, name: str, is_known: bool) -> None:
    """Slack's short names and Unicode's pictographs; anything else is `invalid_name`."""
    ts = (await people("say", user="U0ANA", channel="C0HELP", text="hi"))["ts"]
    body = {"user": "U0ANA", "channel": "C0HELP", "ts": ts, "name": name or ":"}
    status, answer = await people.answer("/human/react", body)
    assert (status == 200) is is_known, answer


async def test_too_long_a_text_is_cut_off(slack: AsyncWebClient) -> None:
    """Beyond 40,000 characters Slack shows nothing of what an app writes."""
    posted = await slack.chat_postMessage(channel="C0HELP", text="a" * 40_001)
    assert len(posted["message"]["text"]) == 40_000


async def test_posting_by_the_bare_name_of_a_channel(slack: AsyncWebClient) -> None:
    """chat.postMessage takes it, other methods want the id."""
    assert (await slack.chat_postMessage(channel="general", text="a"))["channel"] == "C0GENERAL"
