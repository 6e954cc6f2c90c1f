"""Many messages, pages and events: nothing is lost, and nothing piles up. Figures: `python -m measure.sandbox`."""

import asyncio
import gc
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.arguments import Arguments
from sandbox.server import Sandbox
from sandbox.web import REMEMBERED_CALLS
from tests.sandbox.conftest import Line

PAGES = 1_000


@pytest.fixture
def methods(workspace: Sandbox) -> Mapping[str, Callable[[Arguments], Any]]:
    return workspace._methods()


def test_reading_leaves_nothing_behind(methods: Any, workspace: Sandbox) -> None:
    """A thousand pages of a thread take no memory that stays."""
    root = methods["chat.postMessage"](Arguments({"channel": "C0HELP", "text": "root"}))["ts"]
    for n in range(100):
        methods["chat.postMessage"](Arguments({"channel": "C0HELP", "text": str(n), "thread_ts": root}))

    def read(pages: int) -> None:
        for _ in range(pages):
            methods["conversations.replies"](Arguments({"channel": "C0HELP", "ts": root, "limit": "20"}))

    read(10)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    read(PAGES)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 20_000


async def test_the_list_of_calls_is_bounded(session: aiohttp.ClientSession, workspace: Sandbox) -> None:
    """Only the last calls are remembered, however many there were."""
    calls = workspace._web.calls
    calls.extend({"method": "old"} for _ in range(REMEMBERED_CALLS))
    await session.post("/api/auth.test")
    assert len(calls) == REMEMBERED_CALLS
    assert calls[-1]["method"] == "auth.test"


async def test_a_flood_of_events_arrives_in_order(workspace: Sandbox, line: Line) -> None:
    """Two thousand at the same time over one socket: each once, in the order in which they were said."""

    async def hear() -> list[str]:
        return [(await line.event())["text"] for _ in range(2_000)]

    hearing = asyncio.create_task(hear())
    for n in range(2_000):
        workspace._workspace.post("C0HELP", str(n), user="U0ANA")
    assert await hearing == [str(n) for n in range(2_000)]
    await workspace.close()
    assert workspace._sockets._open == {}


async def test_a_thread_is_paged_to_its_end(slack: AsyncWebClient, methods: Any) -> None:
    """Each reply once, whatever the page size."""
    root = (await slack.chat_postMessage(channel="C0HELP", text="root"))["ts"]
    for n in range(100):
        methods["chat.postMessage"](Arguments({"channel": "C0HELP", "text": str(n), "thread_ts": root}))
    seen: list[str] = []
    async for page in await slack.conversations_replies(channel="C0HELP", ts=root, limit=7):
        seen += [each["text"] for each in page["messages"]]
    assert seen == ["root", *map(str, range(100))]
