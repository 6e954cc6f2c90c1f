"""Take the pictures of README and docs/: cards and threads of `triage demo`, and those of the other scripts.

Needs Debian's Chromium, a font with emoji (fonts-noto-color-emoji) and the `dev` extra.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import async_playwright, expect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.demo_screenshots import demo_pictures  # noqa: E402  # the path is set above
from scripts.fix_screenshots import fix_pictures  # noqa: E402  # the path is set above
from scripts.operator_screenshots import IMAGES, pictures  # noqa: E402  # the path is set above
from scripts.report_screenshot import report_picture  # noqa: E402  # as above

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CHROMIUM = "/usr/bin/chromium"
PORT = 8799
PATIENCE = 180_000
"""Milliseconds until a card is there, on a machine that does much else."""


async def main() -> None:
    """Take them all, in one browser."""
    expect.set_options(timeout=PATIENCE)
    IMAGES.mkdir(parents=True, exist_ok=True)
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        async with _demo() as url:
            await demo_pictures(browser, url)
        await pictures(browser)
        await fix_pictures(browser)
        await report_picture(browser)
        await browser.close()


@asynccontextmanager
async def _demo() -> AsyncIterator[str]:
    """Run `triage demo` as a newcomer does, in a new home; its address."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "demo", "--home", str(home), "--port", str(PORT)),
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
