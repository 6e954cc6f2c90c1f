"""The least that a Bolt app can be: it acknowledges every event, and that is all. `load_bench` compares.

`python -m measure.bare_bolt API_URL [FILE]`; says `ready` once its socket is open. With a file it appends each event to
it and syncs that before the ack, in batches, as the bot's journal does (`load_bench`).
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.journal import NdjsonJournal  # the path is set above

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


async def main(api_url: str, journal: NdjsonJournal | None) -> None:
    """Run until killed."""
    app = AsyncApp(client=AsyncWebClient(token="xoxb-sandbox", base_url=api_url))  # noqa: S106  # the sandbox's, made up

    async def record(body: dict[str, Any], next: Callable[[], Awaitable[Any]]) -> None:
        """Write and sync, then acknowledge."""
        if journal:
            await journal.append(body)
        await next()

    async def on_event(body: dict[str, object]) -> None:
        """Nothing."""

    app.use(record)
    app.event(re.compile(".*"))(on_event)
    handler = AsyncSocketModeHandler(app, "xapp-sandbox")
    await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
    print("ready", flush=True)  # noqa: T201  # whoever started it waits for this
    await asyncio.Event().wait()


if __name__ == "__main__":
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    asyncio.run(main(sys.argv[1], NdjsonJournal(kept, stop=None) if kept else None))
