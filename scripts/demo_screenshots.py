"""The pictures of `triage demo`: its first question as card and reply, on a desktop and a phone, and one from another
company.

Called by `scripts/screenshots.py`. The draft quotes this project's own source, so it may differ between versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.async_api import expect

from bot.cli.demo_projects import QUESTIONS
from scripts.operator_screenshots import keep
from tests.line.human import Human
from tests.sandbox.browser.window import Window

if TYPE_CHECKING:
    from playwright.async_api import Browser, FloatRect

DESKTOP = {"width": 1180, "height": 640}
PHONE = {"width": 390, "height": 1100}
"""Higher than a phone, so that the whole card is in view."""
MARGIN = 14
WAITING, SETTLED = "Waiting for you", "The reply is posted."


async def demo_pictures(browser: Browser, url: str) -> None:
    """Ask the first question, take its card, approve, take the reply; then have somebody of the other company ask."""
    olu = await _open(browser, url, "U0OPS", "D0OPS", DESKTOP, "light")
    ana = await _open(browser, url, "U0ANA", "C0HELP", DESKTOP, "dark")
    phones = {scheme: await _open(browser, url, "U0OPS", "D0OPS", PHONE, scheme) for scheme in ("light", "dark")}
    await ana.say(QUESTIONS[0])
    card = await olu.sees(olu.message(WAITING))
    await olu.sees(olu.button("Approve", card))
    await olu.page.mouse.move(0, 0)
    await keep(await olu.page.screenshot(animations="disabled"), "sandbox-card")
    for scheme, phone in phones.items():
        await _take(phone, WAITING, f"card-waiting-phone-{scheme}")
    await olu.press("Approve", card)
    for scheme, phone in phones.items():
        await _take(phone, SETTLED, f"card-settled-phone-{scheme}")
    await ana.page.get_by_role("button", name="1 reply").click()
    await ana.counts(ana.page.locator("#replies li.message"), 2)
    await ana.page.mouse.move(0, 0)
    await keep(await ana.page.screenshot(animations="disabled"), "sandbox-thread")
    await Human(url, "U0RITA").say(QUESTIONS[1], channel="C0SHARED")
    await _take(olu, "of another company", "shared-card")


async def _open(browser: Browser, url: str, user: str, channel: str, screen: dict[str, int], scheme: str) -> Window:
    context = await browser.new_context(viewport=screen, color_scheme=scheme, locale="en-GB")  # type: ignore[arg-type]  # plain values
    window = Window(await context.new_page(), url)
    await window.open(user, channel=channel)
    return window


async def _take(window: Window, words: str, name: str) -> None:
    card = window.message(words)
    await expect(card).to_be_visible()
    await window.page.mouse.move(0, 0)
    await card.scroll_into_view_if_needed()
    whole, content = await card.bounding_box(), await card.locator(".content").bounding_box()
    assert whole is not None  # noqa: S101  # it is visible
    assert content is not None  # noqa: S101  # the same
    width = content["x"] + content["width"] + MARGIN - whole["x"]
    clip: FloatRect = {"x": whole["x"], "y": whole["y"], "width": width, "height": whole["height"]}
    await keep(await window.page.screenshot(clip=clip, animations="disabled"), name)
