"""The page under load and over time: half-typed text, focus and scroll stay; a lost workspace is found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sandbox.server import Sandbox

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from slack_sdk.web.async_client import AsyncWebClient

    from tests.line.conftest import Line
    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_half_typed_text_and_focus_survive_what_others_do(window: Opening, slack: AsyncWebClient) -> None:
    """Messages come, another conversation is opened, the page is loaded anew: the text still stands there."""
    ana = await window("U0ANA")
    await ana.page.keyboard.type("half of a sen")
    posted = await slack.chat_postMessage(channel="C0HELP", text="an interruption")
    await ana.sees(ana.message("an interruption"))
    await slack.chat_update(channel="C0HELP", ts=posted["ts"], text="another one")
    await ana.sees(ana.message("another one"))
    await ana.page.keyboard.type("tence")
    assert await ana.composer.input_value() == "half of a sentence"
    await ana.go("general")
    assert await ana.composer.input_value() == ""
    await ana.go("help-platform")
    await ana.page.reload()
    await ana.sees(ana.message("another one"))
    assert await ana.composer.input_value() == "half of a sentence"


async def test_the_page_finds_a_workspace_that_was_restarted(line: Line, window: Opening, tmp_path: Path) -> None:
    """It says that the workspace is gone; once it is back on its port, messages come and go as before."""
    await line.workspace.close()
    kept, port = tmp_path / "kept.ndjson", line.workspace.port
    line.workspace = await Sandbox.start(port=port, data=kept)
    ana = await window("U0ANA")
    await ana.say("before")
    await ana.sees(ana.message("before"))
    await ana.composer.fill("written in between")
    await line.workspace.close()
    await ana.sees(ana.page.get_by_text("The workspace is gone."))
    await ana.composer.press("Enter")
    await ana.sees(ana.page.get_by_text("Not sent: the workspace does not answer."))
    assert await ana.composer.input_value() == "written in between"
    line.workspace = await Sandbox.start(port=port, data=kept)
    await ana.misses(ana.page.get_by_text("The workspace is gone."))
    await ana.composer.press("Enter")
    await ana.sees(ana.message("written in between"))
    await ana.sees(ana.message("before"))


@pytest.mark.long
async def test_a_thousand_messages_are_no_burden(window: Opening, slack: AsyncWebClient) -> None:
    """What is typed stays and is sent, what comes is seen; by button and by wheel one reads back to the first."""
    for number in range(1000):
        await slack.chat_postMessage(channel="C0HELP", text=f"message number {number}.")
    ana = await window("U0ANA")
    await ana.sees(ana.message("message number 999."))
    await ana.page.keyboard.type("half")
    await slack.chat_postMessage(channel="C0HELP", text="in between")
    await ana.sees(ana.message("in between"))
    await ana.page.keyboard.type(" and whole")
    await ana.page.keyboard.press("Enter")
    await ana.sees(ana.message("half and whole"))
    earlier = ana.page.get_by_role("button", name="Show earlier messages")
    while not await ana.message("message number 299.").count():
        await earlier.click()
    shown = await ana.page.locator("#messages li.message").count()
    await earlier.scroll_into_view_if_needed()
    await slack.chat_postMessage(channel="C0HELP", text="the button stays")
    await ana.sees(ana.message("the button stays"))
    await ana.counts(ana.page.locator("#messages li.message"), shown + 1)
    await ana.page.locator("#messages").hover()
    while not await ana.message("message number 0.").count():
        await ana.page.mouse.wheel(0, -10_000)
    await slack.chat_postMessage(channel="C0HELP", text="while reading back")
    await ana.sees(ana.message("while reading back"))
    first = ana.message("message number 0.")
    await first.scroll_into_view_if_needed()
    await slack.chat_postMessage(channel="C0HELP", text="still reading")
    await ana.sees(ana.message("still reading"))
    assert await first.evaluate("node => node.getBoundingClientRect().bottom > 0")


async def test_a_narrow_window_holds_everything(window: Opening, slack: AsyncWebClient) -> None:
    """At 420 pixels the side comes on a button, a thread takes the whole width, and nothing sticks out."""
    ana = await window("U0ANA", viewport={"width": 420, "height": 760})
    await slack.chat_postMessage(channel="C0HELP", text="a long word " + "x" * 200)
    await ana.sees(ana.message("a long word"))
    await ana.misses(ana.place("general"))
    await ana.page.get_by_role("button", name="Conversations").click()
    await ana.place("general").click()
    await ana.misses(ana.place("general"))
    await ana.say("narrow")
    await ana.act("Reply in thread", ana.message("narrow"))
    await ana.sees(ana.reply)
    assert await ana.page.evaluate("document.documentElement.scrollWidth") == 420
    await ana.page.get_by_role("button", name="Close the thread").click()
    await ana.sees(ana.composer)
