"""The card of README's question in `triage demo`: waiting and settled, on a phone, light and dark; and one of a
question from another company, for docs/shared-channels.md.

Called by `scripts/screenshots.py`. The draft quotes this project's own source, so it may differ between versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.async_api import expect

from scripts.operator_screenshots import keep
from tests.line.human import Human
from tests.sandbox.browser.window import Window

if TYPE_CHECKING:
    from playwright.async_api import Browser, FloatRect

QUESTION = "where is debounce_ms set?"
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 1100}
"""Higher than a phone, so that the whole card is in view."""
MARGIN = 14


async def card_pictures(browser: Browser, url: str) -> None:
    """Ask in a demo that runs at `url`, approve, and take both cards in each scheme."""
    windows = {}
    for scheme in ("light", "dark"):
        context = await browser.new_context(viewport=PHONE, color_scheme=scheme, locale="en-GB")  # type: ignore[arg-type]  # plain values
        windows[f"phone-{scheme}"] = window = Window(await context.new_page(), url)
        await window.open("U0OPS", channel="D0OPS")
    await Human(url, "U0ANA").say(QUESTION)
    for name, window in windows.items():
        await _take(window, "Waiting for you", f"card-waiting-{name}")
    await window.press("Approve", window.message("Waiting for you"))
    for name, window in windows.items():
        await _take(window, "The reply is posted.", f"card-settled-{name}")
        await window.page.context.close()


async def shared_picture(browser: Browser, url: str, question: str) -> None:
    """Share the help channel of a demo with the other company there, have one of its people ask, and take the card."""
    ana = Human(url, "U0ANA")
    await ana.calls("share", channel="C0HELP", team="T0PARTNER")
    await ana.calls("invite", channel="C0HELP", who="U0RITA")
    context = await browser.new_context(viewport=DESKTOP, color_scheme="light", locale="en-GB")  # type: ignore[arg-type]  # plain values
    window = Window(await context.new_page(), url)
    await window.open("U0OPS", channel="D0OPS")
    await Human(url, "U0RITA").say(question)
    await _take(window, "of another company", "shared-card")
    await context.close()


async def _take(window: Window, words: str, name: str) -> None:
    card = window.message(words)
    await expect(card).to_be_visible(timeout=30_000)
    await window.page.mouse.move(0, 0)
    await card.scroll_into_view_if_needed()
    whole, content = await card.bounding_box(), await card.locator(".content").bounding_box()
    assert whole is not None  # noqa: S101  # it is visible
    assert content is not None  # noqa: S101  # the same
    width = content["x"] + content["width"] + MARGIN - whole["x"]
    clip: FloatRect = {"x": whole["x"], "y": whole["y"], "width": width, "height": whole["height"]}
    await keep(await window.page.screenshot(clip=clip, animations="disabled"), name)
