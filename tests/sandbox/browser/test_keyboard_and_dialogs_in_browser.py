"""Decisions by keyboard and half-written dialogs: neither ever lands on another card or another person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Locator
    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient

    from tests.line.conftest import Line
    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = "\n".join(f"line {number} of the draft" for number in range(60))


def words(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def card(number: int) -> list[dict[str, Any]]:
    approve = {"type": "button", "action_id": "approve", "value": f"draft {number}", "text": words("Approve")}
    return [{"type": "section", "text": words(f"card {number}")}, {"type": "actions", "elements": [approve]}]


def editing(title: str) -> dict[str, Any]:
    text = {"type": "plain_text_input", "action_id": "text", "multiline": True, "initial_value": LONG}
    block = {"type": "input", "block_id": "text", "label": words("Reply"), "element": text}
    return {
        "type": "modal",
        "callback_id": "editing",
        "title": words(title),
        "submit": words("Save Draft"),
        "blocks": [block],
    }


@pytest.mark.parametrize("outcome", ["settled", "deleted", "drawn again"])
async def test_enter_twice_decides_once(window: Opening, app: AsyncApp, slack: AsyncWebClient, outcome: str) -> None:
    """Whatever becomes of the card that was approved by keyboard, a second Enter approves nothing else."""
    pressed: list[str] = []

    async def approve(ack: Any, action: dict[str, Any], body: dict[str, Any], client: AsyncWebClient) -> None:
        pressed.append(action["value"])
        await ack()
        place = {"channel": body["channel"]["id"], "ts": body["message"]["ts"]}
        if outcome == "deleted":
            await client.chat_delete(**place)
        elif outcome == "settled":
            await client.chat_update(**place, text="settled", blocks=card(2)[:1])
        else:
            await client.chat_update(**place, text="another draft", blocks=card(20))

    app.action("approve")(approve)
    for number in (1, 2, 3):
        await slack.chat_postMessage(channel="D0OPS", text=f"card {number}", blocks=card(number))
    olu = await window("U0OPS", channel="D0OPS")
    await olu.sees(olu.message("card 3"))
    await olu.message("card 2").get_by_role("button", name="Approve").focus()
    await olu.page.keyboard.press("Enter")
    second = olu.message("card 2").get_by_role("button", name="Approve")
    await (olu.misses(second) if outcome != "drawn again" else olu.sees(olu.message("card 20")))
    await olu.page.keyboard.press("Enter")
    await slack.chat_postMessage(channel="D0OPS", text="afterwards")
    await olu.sees(olu.message("afterwards"))
    assert pressed == ["draft 2"]
    assert await olu.page.evaluate("document.activeElement !== document.body")


async def test_a_dialog_opens_at_the_start_of_its_text(window: Opening, app: AsyncApp, slack: AsyncWebClient) -> None:
    """A long draft is read from its first line, and what is typed then stands before it; after it the card has the
    focus, though its button is gone."""

    async def saved(ack: Any) -> None:
        await ack()

    answer_with_a_dialog(app)
    app.view("editing")(saved)
    olu = await window("U0OPS")
    field = await open_dialog(olu, slack)
    assert await field.evaluate("(area) => [area.selectionStart, area.scrollTop]") == [0, 0]
    await olu.page.keyboard.type("First: ")
    assert (await field.input_value()).startswith("First: line 0 of the draft")
    message = olu.message("card 1")
    ts = (await message.get_attribute("id") or "").removeprefix("m")
    await slack.chat_update(channel="C0HELP", ts=ts, text="card 1", blocks=card(1)[:1])
    await olu.counts(message.locator("button[data-action]"), 0)
    await olu.page.keyboard.press("Control+Enter")
    await olu.misses(olu.dialog)
    assert await message.evaluate("(node) => node === document.activeElement")


async def test_a_dialog_stays_with_its_person(window: Opening, app: AsyncApp, slack: AsyncWebClient) -> None:
    """Whoever becomes somebody else leaves a dialog behind, and finds it and its text again when back."""
    submitted: list[str] = []

    async def saved(ack: Any, body: dict[str, Any]) -> None:
        submitted.append(body["user"]["id"])
        await ack()

    answer_with_a_dialog(app)
    app.view("editing")(saved)
    olu = await window("U0ANA")
    await olu.page.get_by_role("button", name="Olu").click()
    await olu.sees(olu.page.get_by_role("button", name="Olu", pressed=True))
    field = await open_dialog(olu, slack)
    await field.fill("half of a reply")
    await olu.page.evaluate("history.back()")
    await olu.sees(olu.page.get_by_role("button", name="Ana", pressed=True))
    await olu.misses(olu.dialog)
    await olu.page.evaluate("history.forward()")
    await olu.sees(olu.dialog)
    assert await field.input_value() == "half of a reply"
    await olu.press("Save Draft", olu.dialog)
    await olu.misses(olu.dialog)
    assert submitted == ["U0OPS"]


async def test_an_app_that_is_down_has_no_green_dot(line: Line, window: Opening) -> None:
    """The dot beside the app follows its connection, without the page being loaded anew."""
    olu = await window("U0OPS")
    await olu.sees(olu.place("Triage").get_by_label("away"))
    async with line.bot():
        await olu.sees(olu.place("Triage").get_by_label("active"))
    await olu.sees(olu.place("Triage").get_by_label("away"))


def answer_with_a_dialog(app: AsyncApp) -> None:
    async def pressed(ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=editing("Edit"))
        await ack()

    app.action("approve")(pressed)


async def open_dialog(person: Window, slack: AsyncWebClient) -> Locator:
    await slack.chat_postMessage(channel="C0HELP", text="card 1", blocks=card(1))
    await person.press("Approve", person.message("card 1"))
    return await person.sees(person.dialog.get_by_role("textbox", name="Reply"))
