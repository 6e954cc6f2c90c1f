"""The pictures of docs/operators.md: one question from its card to its reply, each surface as it is met on the way.

A local workspace, the real bot with agents, and a scripted model in place of one that thinks. Called by
`scripts/screenshots.py`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sandbox.server import Sandbox  # noqa: E402  # the path is set above
from scripts.palette import smaller  # noqa: E402  # the same
from tests.line.agents import agents  # noqa: E402  # the same
from tests.line.conftest import MANIFEST, SHOP, Line, TriageTime  # noqa: E402  # the same
from tests.line.play import GOOD, READ, Play, found, judged  # noqa: E402  # the same
from tests.sandbox.browser.window import Window  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, Locator

IMAGES = ROOT / "docs" / "images"
QUESTION = "how often is a payment tried again before we cancel the order?"
SIZE = {"width": 980, "height": 1500}
"""High enough for a whole card, wide enough for one beside the list of conversations."""

DRAFT = """A payment is tried again three times before the order is cancelled: `RETRY_LIMIT = 3` in `orders.py:3`.

After that `cancel_order` gives the money back within two days (`orders.py:7-10`)."""
REFERENCES = [
    {
        "kind": "file",
        "ref": "orders.py:3-4",
        "supports_claim": "The limit, and what it counts.",
        "quote": 'RETRY_LIMIT = 3\n"""How often a payment is tried again before the order is cancelled."""',
    },
    {
        "kind": "file",
        "ref": "orders.py:7-10",
        "supports_claim": "What happens after the last try.",
        "quote": "def cancel_order(order, reason):\n"
        '    """Cancel an order and give the money back within two days."""\n'
        "    order.cancel(reason)\n    refund(order, days=2)",
    },
]
PLAY = Play(
    investigator=((*GOOD[:-1], found(draft_reply=DRAFT, evidence_refs=REFERENCES)),),
    validator=((READ, judged()),),
)
NOBODY = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")


async def pictures(browser: Browser) -> None:
    """Take them all."""
    async with _line() as line, agents(line, PLAY, clock=TriageTime(), **_settings()):
        olu = await open_window(browser, line, "U0OPS", "D0OPS")
        there = await open_window(browser, line, "U0OPS", "C0HELP")
        await line.ana.say(QUESTION)
        card = await olu.sees(olu.message("Waiting for you"))
        await _take(card, "card")
        await there.say("/triage queue")
        await _take(await there.sees(there.message("1 question waits")), "queue")
        await _take_home(browser, line)
        await _dialogs(olu, card)
        await olu.press("Approve", olu.message("not validated again"))
        await _take(await olu.sees(olu.message("The reply is posted.")), "settled")


async def _dialogs(olu: Window, card: Locator) -> None:
    """What opens over a card; Edit is submitted, and stands on the card from then on."""
    await olu.press("Show Evidence", card)
    await _take(await olu.sees(olu.dialog), "evidence")
    await olu.page.keyboard.press("Escape")
    await olu.press("Bounce", card)
    await olu.dialog.get_by_label("Incomplete").check()
    await _take(olu.dialog, "bounce")
    await olu.press("Cancel", olu.dialog)
    await olu.press("Dismiss", card)
    await _take(await olu.sees(olu.dialog), "dismiss")
    await olu.press("Cancel", olu.dialog)
    await olu.press("Edit", card)
    await olu.dialog.get_by_role("textbox", name="Reply").fill(DRAFT.replace("two days", "two working days"))
    await _take(olu.dialog, "edit")
    await olu.press("Save Draft", olu.dialog)
    await _take(await olu.sees(olu.message("not validated again")), "edited")


async def _take_home(browser: Browser, line: Line) -> None:
    home = await open_window(browser, line, "U0ADMIN", "D0ADMIN", more="&tab=home")
    await home.sees(home.page.get_by_role("button", name="Show Card"))
    await home.page.set_viewport_size({"width": SIZE["width"], "height": 680})
    await _take(home.page.locator("#home"), "home")


async def _take(what: Locator, name: str) -> None:
    await what.page.mouse.move(0, 0)
    await keep(await what.screenshot(animations="disabled"), f"operators-{name}")


async def keep(png: bytes, name: str) -> None:
    """Put a picture where the documents look for it."""
    await asyncio.to_thread(lambda: (IMAGES / f"{name}.png").write_bytes(smaller(png)))


async def make_shop(shop: Path) -> None:
    """A small project to answer from, kept in git."""
    await asyncio.to_thread(shop.mkdir)
    await asyncio.to_thread((shop / "orders.py").write_text, SHOP)
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "The shop")):
        git = await asyncio.create_subprocess_exec("git", *NOBODY, *command, cwd=shop)
        await git.wait()


async def open_window(browser: Browser, line: Line, user: str, channel: str, *, more: str = "") -> Window:
    """Open the window of a person."""
    context = await browser.new_context(viewport=SIZE, color_scheme="light", locale="en-GB")  # type: ignore[arg-type]  # a plain dict
    made = Window(await context.new_page(), line.workspace.url)
    await made.open(user, channel=channel, more=more)
    return made


def _settings() -> dict[str, str]:
    return {
        "more": "admins: [U0ADMIN]",
        "chat": "cards: both",
        "project": "web_url: https://github.com/example/shop",
    }


@asynccontextmanager
async def _line() -> AsyncIterator[Line]:
    """A workspace, and a small shop."""
    with tempfile.TemporaryDirectory() as folder:
        await make_shop(Path(folder, "shop"))
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        yield Line(workspace, Path(folder))
        await workspace.close()
