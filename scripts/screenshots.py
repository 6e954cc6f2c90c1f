"""Take the pictures of docs/: the card, those of docs/sandbox.md from `triage demo`, of docs/operators.md and fixes.md.

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

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.card_screenshots import card_pictures, shared_picture  # noqa: E402  # the path is set above
from scripts.fix_screenshots import fix_pictures  # noqa: E402  # the path is set above
from scripts.operator_screenshots import IMAGES, keep, make_shop, pictures  # noqa: E402  # the path is set above
from scripts.report_screenshot import report_picture  # noqa: E402  # as above

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CHROMIUM = "/usr/bin/chromium"
PORT = 8799
QUESTION = "how often is a payment tried again?"
SETTINGS = """
watched_chats:
- {{chat_id: C0HELP, name: help-platform, mode: live}}
operators: [U0OPS]
projects:
  shop: {{root: {root}, description: A small shop., web_url: https://github.com/example/shop}}
"""
SIZE = {"width": 1180, "height": 760}


async def main() -> None:
    """Take them all, in one browser."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        async with _demo(own=True) as url:
            await card_pictures(browser, url)
        async with _demo() as url:
            await _demo_pictures(browser, url)
            await shared_picture(browser, url, "when does the money of a cancelled order come back?")
        await pictures(browser)
        await fix_pictures(browser)
        await report_picture(browser)
        await browser.close()


async def _demo_pictures(browser: Browser, url: str) -> None:
    """Ask, look at the card, approve, look at the reply."""
    ana = await _window(browser, f"{url}/archives/C0HELP?as=U0ANA", color_scheme="dark")
    olu = await _window(browser, f"{url}/archives/D0OPS?as=U0OPS", color_scheme="light")
    await ana.get_by_role("textbox", name="Message").fill(QUESTION)
    await ana.keyboard.press("Enter")
    approve = olu.get_by_role("button", name="Approve", exact=True)
    await expect(approve).to_be_visible(timeout=30_000)
    await keep(await olu.screenshot(), "sandbox-card")
    await approve.click()
    await expect(olu.get_by_text("The reply is posted.")).to_be_visible()
    await ana.get_by_role("button", name="1 reply").click()
    await expect(ana.locator("#replies li.message")).to_have_count(2)
    await keep(await ana.screenshot(), "sandbox-thread")


async def _window(browser: Browser, address: str, *, color_scheme: str) -> Page:
    context = await browser.new_context(viewport=SIZE, color_scheme=color_scheme, locale="en-GB")  # type: ignore[arg-type]  # "light" or "dark"
    page = await context.new_page()
    await page.goto(address)
    return page


@asynccontextmanager
async def _demo(*, own: bool = False) -> AsyncIterator[str]:
    """Run `triage demo` in a new home, with a small shop to answer from or with its `own` projects; its address."""
    with tempfile.TemporaryDirectory() as folder:
        home, shop, config = (Path(folder, name) for name in ("home", "shop", "triage.yml"))
        home.mkdir()
        await make_shop(shop)
        config.write_text(SETTINGS.format(root=shop))
        given = () if own else ("--config", str(config))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "demo", "--home", str(home), "--port", str(PORT), *given),
            cwd=ROOT,
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
