"""The pictures of docs/fixes.md: a card that proposes a fix, the fix as it waits for a decision, and the opened draft.

A local workspace, the real bot with agents on a scripted model, git with a bare remote, and a forge on loopback. Called
by `scripts/screenshots.py`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sandbox.server import Sandbox  # noqa: E402  # the path is set above
from scripts.operator_screenshots import keep, make_shop, open_window  # noqa: E402  # the same
from tests.forge_server import TOKEN, VARIABLE, ForgeServer  # noqa: E402  # the same
from tests.line.agents import agents  # noqa: E402  # the same
from tests.line.conftest import MANIFEST, Line  # noqa: E402  # the same
from tests.line.fixing import Fixing, configure, make_remote  # noqa: E402  # the same
from tests.line.test_straight_line import QUESTION  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, Locator


async def fix_pictures(browser: Browser) -> None:
    """Take them all."""
    os.environ[VARIABLE] = TOKEN
    async with _line() as line, ForgeServer() as server:
        make_remote(line.folder)
        server.folder = line.folder / "srv"
        async with agents(line, Fixing(), **configure(server)):  # type: ignore[arg-type]  # it plays more agents
            olu = await open_window(browser, line, "U0OPS", "D0OPS")
            await line.ana.say(QUESTION)
            card = await olu.sees(olu.message("Propose a Fix"))
            await _take(card, "card")
            await olu.press("Propose a Fix", card)
            fix = await olu.sees(olu.message("open this merge request?"))
            await _take(fix, "proposed")
            await olu.press("Open Merge Request", fix)
            await olu.press("Open It", olu.page.locator("#confirm"))
            opened = await olu.sees(olu.message("The merge request is open"))
            await _take(opened, "opened")
            linked = await olu.sees(olu.message("post this reply?").filter(has_text="Merge request !1"))
            await _take(linked, "linked")


async def _take(message: Locator, name: str) -> None:
    await message.page.mouse.move(0, 0)
    await keep(await message.screenshot(animations="disabled"), f"fixes-{name}")


@asynccontextmanager
async def _line() -> AsyncIterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        await make_shop(Path(folder, "shop"))
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        try:
            yield Line(workspace, Path(folder))
        finally:
            await workspace.close()
