"""What an app shows and hears through the page: Home, commands, shortcuts, dialogs, choices, its status, dates."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from sandbox.server import Sandbox

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient

    from tests.line.conftest import Line
    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]

PATIENCE = 10.0
"""Seconds after which something that should be heard counts as missing."""

MANIFEST = {
    "display_information": {"name": "Triage"},
    "features": {
        "agent_view": {"agent_description": "Answers"},
        "slash_commands": [
            {"command": "/triage", "description": "What waits for you", "usage_hint": "[status | help]"},
            {"command": "/trivia", "description": "Something else"},
        ],
        "shortcuts": [{"name": "Ask about this", "type": "message", "callback_id": "ask", "description": "Asks"}],
    },
    "oauth_config": {"scopes": {"bot": ["chat:write", "commands", "channels:history", "channels:read"]}},
    "settings": {
        "event_subscriptions": {"bot_events": ["message.channels", "app_home_opened", "agent_session_stopped"]}
    },
}


def words(text: str) -> dict[str, str]:
    """A text object."""
    return {"type": "plain_text", "text": text}


def options(*names: str) -> list[dict[str, Any]]:
    """Options whose value is their name in lower case."""
    return [{"text": words(name), "value": name.lower()} for name in names]


def text_field(name: str, label: str) -> dict[str, Any]:
    """An input for one line."""
    element = {"type": "plain_text_input", "action_id": name}
    return {"type": "input", "block_id": name, "label": words(label), "element": element}


def modal(title: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A dialog with a submit label of its own."""
    return {
        "type": "modal",
        "callback_id": title,
        "title": words(title),
        "submit": words("Go On"),
        "blocks": [*blocks],
        **more,
    }


@pytest_asyncio.fixture(loop_scope="session")
async def line(line: Line, tmp_path: Path) -> Line:
    """The workspace with an app's manifest."""
    (tmp_path / "manifest.yml").write_text(json.dumps(MANIFEST))
    await line.workspace.close()
    line.workspace = await Sandbox.start(manifest=tmp_path / "manifest.yml")
    return line


async def test_a_command_is_hinted_at_while_it_is_typed(window: Opening, app: AsyncApp) -> None:
    """The list narrows, Enter completes, the usage stays in sight, and the app's answer is for one person only."""
    given: list[str] = []

    async def answer(ack: Any, command: dict[str, Any]) -> None:
        given.append(command["text"])
        await ack("Nothing waits for you.")

    app.command("/triage")(answer)
    ana = await window("U0ANA")
    hints = ana.page.get_by_role("listbox", name="Suggestions")
    await ana.page.keyboard.type("/tri")
    await ana.counts(hints.get_by_role("option"), 2)
    await ana.sees(hints.get_by_text("[status | help]"))
    await ana.page.keyboard.type("a")
    await ana.counts(hints.get_by_role("option"), 1)
    await ana.page.keyboard.press("Enter")
    assert await ana.composer.input_value() == "/triage "
    await ana.sees(hints.get_by_text("[status | help]"))
    await ana.page.keyboard.type("status")
    await ana.page.keyboard.press("Enter")
    shown = await ana.sees(ana.message("Nothing waits for you."))
    await ana.sees(shown.get_by_text("Only visible to you"))
    assert given == ["status"]


async def test_the_home_is_opened_shown_and_pressed(window: Opening, app: AsyncApp) -> None:
    """Opening the tab tells the app, what it publishes is shown, a button there reaches it and changes it."""

    async def opened(event: dict[str, Any], client: AsyncWebClient) -> None:
        if event["tab"] == "home":
            await publish(client, "Two drafts wait")

    async def pressed(ack: Any, client: AsyncWebClient) -> None:
        await ack()
        await publish(client, "All is paused")

    async def publish(client: AsyncWebClient, title: str) -> None:
        button = {"type": "button", "action_id": "pause", "text": words("Pause")}
        blocks = [{"type": "header", "text": words(title)}, {"type": "actions", "elements": [button]}]
        await client.views_publish(user_id="U0OPS", view={"type": "home", "blocks": blocks})

    app.event("app_home_opened")(opened)
    app.action("pause")(pressed)
    olu = await window("U0OPS", channel="D0OPS", more="&tab=home")
    home = olu.page.get_by_role("region", name="App Home")
    await olu.sees(home.get_by_role("heading", name="Two drafts wait"))
    await olu.press("Pause", home)
    await olu.sees(home.get_by_role("heading", name="All is paused"))
    assert await olu.page.evaluate("document.activeElement.textContent") == "Pause"
    await olu.page.get_by_role("link", name="Messages").click()
    await olu.sees(olu.composer)


async def test_dialogs_lie_on_each_other(window: Opening, app: AsyncApp) -> None:
    """A shortcut on a message opens one, submitting it pushes another; back keeps what was typed."""

    async def shortcut(ack: Any, shortcut: dict[str, Any], client: AsyncWebClient) -> None:
        await client.views_open(trigger_id=shortcut["trigger_id"], view=modal("First", text_field("why", "Why?")))
        await ack()

    async def submitted(ack: Any, view: dict[str, Any]) -> None:
        if view["state"]["values"]["why"]["why"]["value"] == "wrong":
            await ack(response_action="errors", errors={"why": "Not like this."})
        else:
            await ack(response_action="push", view=modal("Second", text_field("how", "How?")))

    app.shortcut("ask")(shortcut)
    app.view("First")(submitted)
    ana = await window("U0ANA")
    await ana.say("a message")
    await ana.act("Ask about this", ana.message("a message"))
    field = ana.dialog.get_by_role("textbox", name="Why?")
    await ana.press("Go On", ana.dialog)
    await ana.sees(ana.dialog.get_by_role("alert").get_by_text("Please complete this required field."))
    await field.fill("wrong")
    await ana.press("Go On", ana.dialog)
    await ana.sees(ana.dialog.get_by_role("alert").get_by_text("Not like this."))
    await field.fill("because")
    await ana.press("Go On", ana.dialog)
    await ana.sees(ana.dialog.get_by_role("heading", name="Second"))
    await ana.press("Back", ana.dialog)
    await ana.sees(ana.dialog.get_by_role("heading", name="First"))
    assert await field.input_value() == "because"
    await ana.press("Go On", ana.dialog)
    await ana.sees(ana.dialog.get_by_role("textbox", name="How?"))
    await ana.press("Close", ana.dialog)
    await ana.misses(ana.dialog)


async def test_what_is_chosen_reaches_the_app(window: Opening, app: AsyncApp, slack: AsyncWebClient) -> None:
    """A select, a person, an overflow menu by keyboard, and the thumbs under an answer."""
    heard: asyncio.Queue[Any] = asyncio.Queue()

    async def chosen(ack: Any, action: dict[str, Any]) -> None:
        await ack()
        picked = action.get("selected_option") or {}
        await heard.put(
            (action["action_id"], picked.get("value") or action.get("selected_user") or action.get("value"))
        )

    for name in ("tone", "who", "more", "rate"):
        app.action(name)(chosen)
    select = {
        "type": "static_select",
        "action_id": "tone",
        "placeholder": words("Tone"),
        "options": options("Short", "Long"),
    }
    person = {"type": "users_select", "action_id": "who", "placeholder": words("Delegate to")}
    thumbs = {
        "type": "feedback_buttons",
        "action_id": "rate",
        "positive_button": {"text": words("Good answer"), "value": "good"},
        "negative_button": {"text": words("Bad answer"), "value": "bad"},
    }
    overflow = {"type": "overflow", "action_id": "more", "options": options("Mute", "Stop")}
    section = {"type": "section", "text": words("An answer"), "accessory": overflow}
    actions = {"type": "actions", "elements": [select, person]}
    feedback = {"type": "context_actions", "elements": [thumbs]}
    await slack.chat_postMessage(channel="C0HELP", text="x", blocks=[section, actions, feedback])
    ana = await window("U0ANA")
    message = await ana.sees(ana.message("An answer"))
    await message.get_by_label("Tone").select_option("long")
    assert await asyncio.wait_for(heard.get(), PATIENCE) == ("tone", "long")
    await message.get_by_label("Delegate to").select_option("U0OPS")
    assert await asyncio.wait_for(heard.get(), PATIENCE) == ("who", "U0OPS")
    await ana.press("More options", message)
    await ana.page.keyboard.press("ArrowDown")
    await ana.page.keyboard.press("Enter")
    assert await asyncio.wait_for(heard.get(), PATIENCE) == ("more", "stop")
    await ana.press("Good answer", message)
    assert await asyncio.wait_for(heard.get(), PATIENCE) == ("rate", "good")


async def test_times_are_the_readers_own(window: Opening, slack: AsyncWebClient) -> None:
    """A date of the app is shown in the zone of the browser, here Berlin's."""
    date = "<!date^1700000000^{date_num} {time}|2023-11-14 22:13 UTC>"
    element = {"type": "date", "timestamp": 1700000000, "format": "on {date_num} at {time}", "fallback": "x"}
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [element]}]}
    section = {"type": "section", "text": {"type": "mrkdwn", "text": f"Approved {date}."}}
    await slack.chat_postMessage(channel="C0HELP", text="x", blocks=[section, rich])
    ana = await window("U0ANA")
    await ana.sees(ana.message("Approved 2023-11-14 23:13."))
    await ana.sees(ana.message("on 2023-11-14 at 23:13"))


async def test_the_app_says_that_it_is_at_work(window: Opening, app: AsyncApp, slack: AsyncWebClient) -> None:
    """A status stands under the thread until the answer comes; in direct messages it is seen beside the thread, too.

    Beside it stands Slack's own Stop until the app says that its work has ended.
    """

    async def stopped(event: dict[str, Any], client: AsyncWebClient) -> None:
        place = {"channel_id": event["channel"], "thread_ts": event["thread_ts"]}
        await client.agents_sessions_setStatus(status="active", **place)

    app.event("agent_session_stopped")(stopped)
    asked = await slack.chat_postMessage(channel="C0HELP", text="the question")
    ana = await window("U0ANA")
    await ana.act("Reply in thread", ana.message("the question"))
    await slack.assistant_threads_setStatus(channel_id="C0HELP", thread_ts=asked["ts"], status="is reading orders.py")
    await ana.sees(ana.page.get_by_text("Triage is reading orders.py"))
    await slack.chat_postMessage(channel="C0HELP", text="the answer", thread_ts=asked["ts"])
    await ana.sees(ana.replied("the answer"))
    await ana.misses(ana.page.get_by_text("is reading orders.py"))
    await ana.open("U0ANA", channel="D0ANA")
    direct = await slack.chat_postMessage(channel="D0ANA", text="hello")
    place = {"channel_id": "D0ANA", "thread_ts": direct["ts"]}
    messages = ["Counting", "Thinking"]
    await slack.agents_sessions_setStatus(status="processing", **place)
    await slack.assistant_threads_setStatus(**place, status="is reading the queue", loading_messages=messages)
    await ana.sees(ana.page.get_by_text("Triage is reading the queue · Counting · Thinking"))
    await ana.press("Stop", ana.page.locator("main"))
    await ana.misses(ana.page.get_by_role("button", name="Stop", exact=True))
