"""The local workspace under load: `python -m measure.sandbox`. Figures go to the screen.

How long a post takes, what 1,000 messages and 10,000 pages of replies leave in memory, and whether 500 events a second
over one socket arrive in order and in time.
"""

import asyncio
import gc
import resource
import time
from pathlib import Path
from typing import Any

import aiohttp

from sandbox.arguments import Arguments
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox

MESSAGES = 1_000
PAGES = 10_000
EVENTS = 5_000
A_SECOND = 500

CARD = [
    {"type": "header", "text": {"type": "plain_text", "text": "Reply to #help-platform"}},
    *[{"type": "section", "text": {"type": "mrkdwn", "text": "words " * 60}} for _ in range(8)],
    {
        "type": "actions",
        "elements": [
            {"type": "button", "action_id": f"a{n}", "text": {"type": "plain_text", "text": "Go"}, "value": "v" * 40}
            for n in range(6)
        ],
    },
]


async def main() -> None:
    """All measurements, one after the other."""
    await posting()
    await memory()
    await events()


async def posting() -> None:
    """The server's own part of chat.postMessage, without HTTP."""
    workspace = await Sandbox.start()
    post = workspace._methods()["chat.postMessage"]
    for name, arguments in (("text", {"text": "hello " * 20}), ("card of 10 blocks", {"text": "a", "blocks": CARD})):
        start = time.perf_counter()
        for _ in range(MESSAGES):
            post(Arguments({"channel": "C0HELP", **arguments}))
        each = (time.perf_counter() - start) / MESSAGES
        _say(f"chat.postMessage, {name}: {each * 1000:.3f} ms on the server, {MESSAGES:,} posts")
    await workspace.close()


async def memory() -> None:
    """What stays in memory after many pages of replies were read, over HTTP."""
    workspace = await Sandbox.start()
    async with aiohttp.ClientSession(workspace.url, headers={"Authorization": f"Bearer {BOT_TOKEN}"}) as session:
        root = (await _call(session, "chat.postMessage", channel="C0HELP", text="root"))["ts"]
        for n in range(MESSAGES):
            await _call(session, "chat.postMessage", channel="C0HELP", text=f"reply {n}", thread_ts=root)
        await _read(session, root, PAGES // 4)
        before = _resident()
        start = time.perf_counter()
        await _read(session, root, PAGES)
        took = time.perf_counter() - start
        grown = _resident() - before
        start = time.perf_counter()
        view = await (await session.get("/human/view", params={"user": "U0ANA"})).read()
        drawn = time.perf_counter() - start
    _say(f"{PAGES:,} pages of a thread of {MESSAGES:,}: {took:.1f} s, memory grew by {grown / 1024:.0f} KiB")
    _say(f"the page's view of it: {len(view) / 1024:.0f} KiB in {drawn * 1000:.0f} ms")
    await workspace.close()


async def events() -> None:
    """Events said at a steady rate, acknowledged over one socket."""
    workspace = await Sandbox.start()
    async with aiohttp.ClientSession(workspace.url) as session:
        headers = {"Authorization": f"Bearer {APP_TOKEN}"}
        opened = await (await session.post("/api/apps.connections.open", headers=headers)).json()
        socket = await session.ws_connect(opened["url"])
        await socket.receive_json()
        sent: dict[str, float] = {}
        hearing = asyncio.create_task(_hear(socket, sent))
        start = time.perf_counter()
        for n in range(EVENTS):
            await asyncio.sleep(max(0.0, start + n / A_SECOND - time.perf_counter()))
            sent[str(n)] = time.perf_counter()
            workspace._workspace.post("C0HELP", str(n), user="U0ANA")
        late = sorted(await hearing)
        took = time.perf_counter() - start
        await socket.close()
    await workspace.close()
    _say(
        f"{EVENTS:,} events at {A_SECOND}/s over one socket: {EVENTS / took:.0f}/s, in order, none lost; "
        f"median {late[len(late) // 2] * 1000:.1f} ms, worst {late[-1] * 1000:.1f} ms"
    )


async def _hear(socket: aiohttp.ClientWebSocketResponse, sent: dict[str, float]) -> list[float]:
    delays = []
    for n in range(EVENTS):
        frame = await socket.receive_json()
        await socket.send_json({"envelope_id": frame["envelope_id"]})
        text = frame["payload"]["event"]["text"]
        if text != str(n):
            raise SystemExit(f"event {n} came as {text}")
        delays.append(time.perf_counter() - sent[text])
    return delays


async def _read(session: aiohttp.ClientSession, root: str, pages: int) -> None:
    for _ in range(pages):
        await _call(session, "conversations.replies", channel="C0HELP", ts=root, limit="20")


async def _call(session: aiohttp.ClientSession, method: str, **arguments: str) -> dict[str, Any]:
    async with session.post(f"/api/{method}", data=arguments) as answer:
        found: dict[str, Any] = await answer.json()
        return found


def _resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # a measurement's own output


if __name__ == "__main__":
    asyncio.run(main())
