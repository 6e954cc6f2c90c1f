"""Take the pictures of docs/sandbox.md and docs/operators.md from `triage demo`.

An operator's card, what is behind it, the same in the channel, the App Home, the reply in its thread.

Needs Debian's Chromium and the `dev` extra: `python scripts/screenshots.py`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Browser, Page, async_playwright, expect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
PORT = 8799
QUESTION = "how often is a payment tried again?"
SHOP = '''"""Orders of the shop."""

RETRY_LIMIT = 3
"""How often a payment is tried again before the order is cancelled."""


def cancel_order(order, reason):
    """Cancel an order and give the money back within two days."""
    order.cancel(reason)
    refund(order, days=2)
'''
SETTINGS = """
watched_chats:
- {{chat_id: C0HELP, name: help-platform, mode: live, cards: both}}
operators: [U0OPS]
projects:
  shop: {{root: {root}, description: A small shop., web_url: https://github.com/example/shop}}
"""
NOBODY = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
SIZE = {"width": 1180, "height": 760}


async def main() -> None:
    """Ask, look at the card wherever it is and behind it, approve, look at the reply."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    async with _demo() as url, async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        await _pictures(browser, url)
        await browser.close()


async def _pictures(browser: Browser, url: str) -> None:
    ana = await _window(browser, f"{url}/archives/C0HELP?as=U0ANA", color_scheme="dark")
    olu = await _window(browser, f"{url}/archives/D0OPS?as=U0OPS", color_scheme="light")
    there = await _window(browser, f"{url}/archives/C0HELP?as=U0OPS", color_scheme="light")
    await ana.get_by_role("textbox", name="Message").fill(QUESTION)
    await ana.keyboard.press("Enter")
    approve = olu.get_by_role("button", name="Approve", exact=True)
    await expect(approve).to_be_visible(timeout=30_000)
    await olu.screenshot(path=IMAGES / "sandbox-card.png")
    await olu.get_by_role("button", name="Show Evidence").click()
    await expect(olu.get_by_text("Close", exact=True)).to_be_visible()
    await olu.screenshot(path=IMAGES / "operators-evidence.png")
    await olu.get_by_text("Close", exact=True).click()
    await expect(there.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    await there.screenshot(path=IMAGES / "operators-nudge.png")
    home = await _window(browser, f"{url}/archives/D0OPS?as=U0OPS&tab=home", color_scheme="light")
    await expect(home.get_by_role("button", name="Show Card")).to_be_visible()
    await home.screenshot(path=IMAGES / "operators-home.png")
    await approve.click()
    await expect(olu.get_by_text("The reply is posted.")).to_be_visible()
    await ana.get_by_role("button", name="1 reply").click()
    await expect(ana.locator("#replies li.message")).to_have_count(2)
    await ana.screenshot(path=IMAGES / "sandbox-thread.png")


async def _window(browser: Browser, address: str, *, color_scheme: str) -> Page:
    context = await browser.new_context(viewport=SIZE, color_scheme=color_scheme, locale="en-GB")  # type: ignore[arg-type]  # "light" or "dark"
    page = await context.new_page()
    await page.goto(address)
    return page


@asynccontextmanager
async def _demo() -> AsyncIterator[str]:
    """`triage demo` in a home of its own, with a small shop to answer from, ready; its address."""
    with tempfile.TemporaryDirectory() as folder:
        home, shop, config = (Path(folder, name) for name in ("home", "shop", "triage.yml"))
        home.mkdir()
        shop.mkdir()
        (shop / "orders.py").write_text(SHOP)
        for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "The shop")):
            git = await asyncio.create_subprocess_exec("git", *NOBODY, *command, cwd=shop)
            await git.wait()
        config.write_text(SETTINGS.format(root=shop))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "demo", "--home", str(home), "--config", str(config), "--port", str(PORT)),
            cwd=IMAGES.parent.parent,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None  # noqa: S101  # it was asked for
        await process.stdout.readline()
        try:
            yield f"http://127.0.0.1:{PORT}"
        finally:
            process.terminate()
            await process.wait()


if __name__ == "__main__":
    asyncio.run(main())
