"""Every surface of the local workspace and the report's page: axe finds nothing, and at 360 px nothing is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.reports.criteria import build_report
from bot.reports.report_page import render_page
from tests.forge_server import TOKEN, VARIABLE, ForgeServer
from tests.line.agents import agents
from tests.line.fixing import Fixing, configure, make_remote
from tests.reports.criteria.home import NOW, live
from tests.reports.test_report_page import spent
from tests.sandbox.browser.accessibility import SCREENS, find_faults, fit
from tests.sandbox.browser.window import Window

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Browser, ViewportSize
    from slack_sdk.web.async_client import AsyncWebClient

    from tests.line.conftest import Line

    Screen = tuple[str, int]
    Opening = Callable[..., Awaitable[Window]]

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "how often is a payment tried again?"
PHONE: ViewportSize = {"width": 360, "height": 800}
MARKDOWN = """# A heading

| a | b | a long name of a column | another long name of a column |
|-|-|-|-|
| 1 | 2 | 3 | 4444444444444444444444444444444444 |

```
code that is much wider than a narrow screen, so that it has to be wrapped or scrolled within its box
```"""


@pytest.mark.parametrize("screen", SCREENS)
async def test_from_an_empty_channel_to_a_reply(line: Line, window: Opening, screen: Screen) -> None:
    """Channels, cards, notifications, dialogs, lists, the Home, the side and the thread."""
    ana = await window("U0ANA")
    faults = await find_faults(ana.page, screen, "an empty channel")
    async with line.bot(more="admins: [U0OPS]", chat="cards: both"):
        olu, there = await window("U0OPS", channel="D0OPS"), await window("U0OPS")
        await ana.say(QUESTION)
        card = await olu.sees(olu.message("Waiting for you"))
        await olu.sees(olu.button("Approve", card))
        faults += await find_faults(olu.page, screen, "a card")
        for button in ("Show Evidence", "Edit", "Dismiss", "Bounce"):
            await olu.press(button, card)
            await olu.sees(olu.dialog)
            faults += await find_faults(olu.page, screen, button)
            await olu.page.keyboard.press("Escape")
            await olu.misses(olu.dialog)
        await there.say("/triage queue")
        await there.sees(there.message("Step Through"))
        question = there.page.locator("#messages li.message").first
        await fit(there.page, {"width": screen[1], "height": 800})
        await question.hover()
        await there.press("More actions", question)
        menu = await there.sees(there.page.get_by_role("menu"))
        faults += await find_faults(there.page, screen, "a menu, a list of questions")
        await there.sees(menu)
        await there.page.keyboard.press("Escape")
        await there.composer.fill("@")
        faults += await find_faults(there.page, screen, "hints")
        await fit(there.page, PHONE)
        await there.page.get_by_role("button", name="Conversations").click()
        faults += await find_faults(there.page, screen, "the side")
        home = await window("U0OPS", channel="D0OPS", more="&tab=home")
        await home.sees(home.page.get_by_role("button", name="Show Card"))
        faults += await find_faults(home.page, screen, "the Home")
        await olu.press("Approve", card)
        await olu.sees(olu.message("The reply is posted."))
        faults += await find_faults(olu.page, screen, "a settled card")
        await ana.act("Reply in thread", ana.message(QUESTION))
        await ana.press("This reply was not helpful", await ana.sees(ana.replied("RETRY_LIMIT")))
        await ana.sees(ana.dialog)
        faults += await find_faults(ana.page, screen, "feedback")
        await ana.page.keyboard.press("Escape")
        await ana.misses(ana.dialog)
        faults += await find_faults(ana.page, screen, "a thread")
    assert faults == []


@pytest.mark.parametrize("screen", SCREENS)
async def test_every_element_and_text(
    window: Opening, slack: AsyncWebClient, every_element: Any, screen: Screen
) -> None:
    """In a message, each kind once."""
    rows, _ = every_element
    blocks = [
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "*a*\nb"}] * 4},
        {"type": "section", "text": {"type": "mrkdwn", "text": "some text"}, "accessory": rows[0]["elements"][0]},
        {"type": "markdown", "text": MARKDOWN},
        {"type": "image", "alt_text": "a picture", "image_url": "https://a.example/a.png"},
    ]
    ana = await window("U0ANA")
    for shown in (rows, blocks):
        await slack.chat_postMessage(channel="C0HELP", text="x", blocks=shown)
    await ana.sees(ana.message("a picture"))
    assert await find_faults(ana.page, screen, "blocks") == []


@pytest.mark.parametrize("screen", SCREENS)
async def test_the_report(browser: Browser, screen: Screen) -> None:
    """Its tables stand row by row on a narrow screen."""
    page = await browser.new_page()
    await page.set_content(render_page(build_report(live(1).recorded(), now=NOW), [spent()]))
    assert await find_faults(page, screen, "the report") == []
    await page.close()


@pytest.mark.long
@pytest.mark.parametrize("screen", SCREENS)
async def test_a_fix_and_its_diff(line: Line, window: Opening, monkeypatch: pytest.MonkeyPatch, screen: Screen) -> None:
    """The message of a fix, its question whether to open the merge request, and the card with its link."""
    monkeypatch.setenv(VARIABLE, TOKEN)
    make_remote(line.folder)
    forge = ForgeServer()
    forge.folder = line.folder / "srv"
    async with forge, agents(line, Fixing(), **configure(forge)):  # type: ignore[arg-type]  # it plays more agents
        olu = await window("U0OPS", channel="D0OPS")
        await line.ana.say(QUESTION)
        await olu.press("Propose a Fix", await olu.sees(olu.message("Propose a Fix")))
        fix = await olu.sees(olu.message("open this merge request?"))
        faults = await find_faults(olu.page, screen, "a fix")
        await olu.press("Open Merge Request", fix)
        faults += await find_faults(olu.page, screen, "a confirmation")
        await olu.press("Open It", olu.page.locator("#confirm"))
        await olu.sees(olu.message("The merge request is open"))
        faults += await find_faults(olu.page, screen, "an open merge request")
    assert faults == []
