"""The size of a card on a screen: README's question, waiting and settled, desktop and phone, light and dark; axe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Locator

    from tests.line.conftest import Line
    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "where is debounce_ms set?"
ROOT = Path(__file__).resolve().parents[3]
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
SCREENS = [
    [(DESKTOP, "light"), (PHONE, "dark")],
    pytest.param([(DESKTOP, "dark"), (PHONE, "light")], marks=pytest.mark.long),
]

LINES = """message => {
  const walker = document.createTreeWalker(message.querySelector(".content"), NodeFilter.SHOW_TEXT);
  const rows = [];
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    if (!walker.currentNode.textContent.trim() || walker.currentNode.parentElement.closest(".tools")) continue;
    for (const box of range.getClientRects()) if (box.width > 1) rows.push([box.top + box.height / 2, box.height]);
  }
  rows.sort((one, other) => one[0] - other[0]);
  let count = 0, last = -1e9;
  for (const [middle, height] of rows) if (middle - last > height / 2) { count += 1; last = middle; }
  return count;
}"""
"""Counts the rows of text that a reader sees in a message, its author's name among them."""


async def violations(page: Any) -> list[str]:
    """What axe finds in a page, each with the elements that it is about."""
    axe = pytest.importorskip("axe_playwright_python.async_playwright", reason="needs axe: pip install '.[dev]'")
    found = (await axe.Axe().run(page)).response["violations"]
    return [f"{each['id']}: {[node['target'] for node in each['nodes']]}" for each in found]


async def height(element: Locator) -> float:
    """How many pixels an element takes from its top to its end."""
    box = await element.bounding_box()
    assert box
    return float(box["height"])


async def draft_end(card: Locator) -> float:
    """How far below the top of the card its draft ends."""
    top = await card.bounding_box()
    rule = await card.locator(".block.divider").nth(2).bounding_box()
    assert top
    assert rule
    return float(rule["y"] - top["y"])


@pytest.mark.parametrize("screens", SCREENS)
async def test_the_card_is_short_and_axe_finds_nothing(
    line: Line, window: Opening, screens: list[tuple[dict[str, int], str]]
) -> None:
    """Waiting: 15 rows, 600 px on a desktop; question and draft in 700 px on a phone. Settled: two rows of its own."""
    async with line.bot(code=f"root: {ROOT / 'bot' / 'config'}", more="admins: [U0ADMIN]"):
        windows = [await window("U0OPS", channel="D0OPS", viewport=s, color_scheme=c) for s, c in screens]
        await line.ana.say(QUESTION)
        for (screen, _), olu in zip(screens, windows, strict=True):
            card = await olu.sees(olu.message("Waiting for you"))
            await olu.sees(olu.button("Approve", card))
            if screen is DESKTOP:
                assert await card.evaluate(LINES) <= 15
                assert await height(card) <= 600
            else:
                assert await draft_end(card) <= 700
            assert await violations(olu.page) == []
        await olu.press("Approve", card)
        for (screen, _), olu in zip(screens, windows, strict=True):
            settled = await olu.sees(olu.message("The reply is posted."))
            assert await settled.evaluate(LINES) <= (3 if screen is DESKTOP else 8)
            assert await height(settled) <= (110 if screen is DESKTOP else 210)
            assert await violations(olu.page) == []
        await olu.press("Show Evidence", settled)
        await olu.sees(olu.dialog.get_by_text("The draft", exact=True))
        assert await violations(olu.page) == []


async def test_cards_one_below_the_other_are_told_apart(line: Line, window: Opening) -> None:
    """A rule above each, and a header on one that waits."""
    async with line.bot():
        olu = await window("U0OPS", channel="D0OPS")
        for question in ("how often is a payment tried again?", "how is an order cancelled?"):
            await line.ana.say(question)
            await line.olu.dismiss(await line.olu.card(question, '"approve"'))
            await line.olu.card(question, "*Dismissed*")
        await line.ana.say("when is an order cancelled?")
        waiting = await olu.sees(olu.message("Waiting for you"))
        await olu.sees(waiting.get_by_role("heading", name="Waiting for you: post this reply?"))
        rules = olu.page.locator("#messages li.message .block.divider:first-child")
        await olu.counts(rules, 3)
