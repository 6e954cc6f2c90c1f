"""The least that a Bolt app can be: it acknowledges every event, and that is all. `reliability_bench` compares.

`python measure/bare_bolt.py API_URL`; says `ready` once its socket is open.
"""

from __future__ import annotations

import asyncio
import re
import sys

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient


async def main(api_url: str) -> None:
    """Run until killed."""
    app = AsyncApp(client=AsyncWebClient(token="xoxb-sandbox", base_url=api_url))  # noqa: S106  # the sandbox's, made up

    async def on_event(body: dict[str, object]) -> None:
        """Nothing."""

    app.event(re.compile(".*"))(on_event)
    handler = AsyncSocketModeHandler(app, "xapp-sandbox")
    await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
    print("ready", flush=True)  # noqa: T201  # whoever started it waits for this
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
