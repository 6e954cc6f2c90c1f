"""Windows of a real browser at a running workspace: Debian's Chromium, driven by Playwright.

Where one of the two is missing, these tests skip and say so. They share one browser, and therefore one event loop.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox
from tests.line.conftest import SHOP, Line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from playwright.async_api import Browser

    from tests.sandbox.browser.window import Window

CHROMIUM = Path("/usr/bin/chromium")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--in-process-gpu",
    "--renderer-process-limit=1",
    "--disable-software-rasterizer",
)
"""Chromium asks nobody outside; as root it runs only without its own sandbox, and shared memory may be small."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """The browser of all these tests."""
    playwright = pytest.importorskip("playwright.async_api", reason="needs Playwright: pip install '.[dev]'")
    if not os.access(CHROMIUM, os.X_OK):
        pytest.skip(f"needs Debian's Chromium at {CHROMIUM}: apt-get install chromium")
    async with playwright.async_playwright() as driver:
        running = await driver.chromium.launch(executable_path=str(CHROMIUM), args=list(QUIET))
        yield running
        await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def line(tmp_path: Path) -> AsyncIterator[Line]:
    """A workspace, a project to answer from, and no bot yet."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "orders.py").write_text(SHOP)
    made = Line(await Sandbox.start(), tmp_path)
    made.configure()
    yield made
    await made.workspace.close()


@pytest_asyncio.fixture(loop_scope="session")
async def window(browser: Browser, line: Line) -> AsyncIterator[Callable[..., Awaitable[Window]]]:
    """Opens a window for a person, with a memory of its own; at the end none of the page's scripts may have failed."""
    from tests.sandbox.browser.window import Window

    opened: list[Window] = []

    async def open_window(user: str = "U0ANA", *, channel: str = "C0HELP", more: str = "", **settings: Any) -> Window:
        context = await browser.new_context(locale="en-GB", timezone_id="Europe/Berlin", **settings)
        made = Window(await context.new_page(), line.workspace.url)
        opened.append(made)
        await made.open(user, channel=channel, more=more)
        return made

    yield open_window
    for each in opened:
        await each.page.context.close()
    assert [error for each in opened for error in each.errors] == []


@pytest.fixture
def slack(line: Line) -> AsyncWebClient:
    """The app's own client."""
    return AsyncWebClient(token=BOT_TOKEN, base_url=line.workspace.api_url)


@pytest_asyncio.fixture(loop_scope="session")
async def app(slack: AsyncWebClient) -> AsyncIterator[AsyncApp]:
    """An app on Socket Mode that listens to nothing yet."""
    made = AsyncApp(client=slack)
    handler = AsyncSocketModeHandler(made, APP_TOKEN)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
    yield made
    await handler.close_async()  # type: ignore[no-untyped-call]  # as above
