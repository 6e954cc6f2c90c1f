"""The picture of docs/report.md: the top of the page of a demonstration team. Called by `scripts/screenshots.py`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from measure.recorded_team import record_team, write_home  # noqa: E402  # the path is set above
from scripts.operator_screenshots import keep  # noqa: E402  # the same

if TYPE_CHECKING:
    from playwright.async_api import Browser

WIDTH = 1100


async def report_picture(browser: Browser) -> None:
    """Write the team's home, have `triage report` write the page, and take it."""
    with tempfile.TemporaryDirectory() as folder:
        home, page_file = Path(folder) / "home", Path(folder) / "report.html"
        now = datetime.now(UTC)
        await write_home(home, record_team(2, now), now)
        command = ("-m", "bot", "report", "--home", str(home), "--html", str(page_file))
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.DEVNULL
        )
        if await process.wait():
            raise RuntimeError("triage report has failed")
        page = await browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        await page.goto(page_file.as_uri())
        await keep(await page.screenshot(animations="disabled"), "report")
        await page.close()
