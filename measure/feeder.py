"""The least that a Slack can be for measuring a bot's loop: Socket Mode, and answers to Web API calls.

`python -m measure.feeder [STREAM]` prints its address, then does one order a line of its input: `{"rate": 100, "count":
1000}` sends so many events a second, `{"outstanding": 100, "count": 5000}` the next one as soon as one is acknowledged.
Its answer is how long each event waited for its ack, and how long all took. `load_bench` reads it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

TEAM, CHANNEL, BOT = "T0FEED", "C0HELP", "U0BOT"
MIXED = (
    "deployed v3 to staging",
    "how often is a payment tried again?",
    "thanks, that works now :tada:",
    "the import has been stuck since Friday and no file arrives",
    "I would rather keep the old name, it is in every dashboard by now",
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'limit'",
    "see <https://example.com/runbook|the runbook>, second part, <@U0000003> wrote it",
    "lunch at twelve? the usual place",
    "`make bench` took four minutes here, five with the cache cleared; nothing else changed since Monday",
    "ok",
)
"""What is said where no channel's messages are at hand."""


class Feeder:
    """One workspace with one app in it. Messages are those of a stream, again and again, each with an id of its own."""

    def __init__(self, said: list[tuple[str, str]]) -> None:
        self._said = itertools.cycle(said)
        self._number = itertools.count(1)
        self._began = time.time()
        self._sent: dict[str, float] = {}
        self._posted: dict[str, dict[str, Any]] = {}
        self._socket: web.WebSocketResponse | None = None
        self.url = ""
        self.waits: list[float] = []
        self.acknowledged = asyncio.Event()

    async def call(self, request: web.Request) -> web.Response:
        """Answer a Web API call in the way of Slack, with all that any method's caller may look for."""
        method = request.match_info["method"]
        if request.content_type == "application/json":
            given = await request.json()
        else:
            given = {**request.query, **await request.post()}
        return web.json_response({"ok": True, **self._answer(method, given)})

    def _answer(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        user = str(given.get("user", BOT))
        match method:
            case "auth.test":
                return {
                    "user_id": BOT,
                    "bot_id": "B0BOT",
                    "team_id": TEAM,
                    "team": "Feed",
                    "user": "bot",
                    "url": self.url,
                }
            case "apps.connections.open":
                return {"url": f"{self.url.replace('http', 'ws')}/socket"}
            case "chat.postMessage":
                ts = f"{time.time():.6f}"
                self._posted[ts] = {**given, "ts": ts, "user": BOT}
                return {"ts": ts, "channel": given.get("channel"), "message": {"ts": ts}}
            case "users.info":
                return {
                    "user": {
                        "id": user,
                        "name": user,
                        "real_name": user,
                        "team_id": TEAM,
                        "profile": {"real_name": user},
                    }
                }
            case "conversations.open":
                return {"channel": {"id": f"D{user[1:]}"}}
            case "conversations.info":
                return {"channel": {"id": given.get("channel"), "name": "help", "is_member": True, "is_channel": True}}
            case "conversations.replies":
                return {"messages": [{"ts": given.get("ts"), "user": "U0000001", "text": "?"}], "has_more": False}
            case "chat.getPermalink":
                return {"permalink": f"{self.url}/p"}
            case _:
                return {"messages": [], "channels": [], "members": [], "ts": given.get("ts", "1.000001")}

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Hold the app's socket and note its acks."""
        socket = web.WebSocketResponse(heartbeat=30)
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A0"}})
        self._socket = socket
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                now, envelope = time.perf_counter(), json.loads(frame.data).get("envelope_id")
                if (sent := self._sent.pop(envelope, None)) is not None:
                    self.waits.append(now - sent)
                    self.acknowledged.set()
        return socket

    async def _send(self, frames: list[tuple[str, str]]) -> None:
        """Send one frame; an app that was halted may take its socket for dead and open another one."""
        envelope, frame = frames.pop()
        while True:
            self._sent[envelope] = time.perf_counter()
            with suppress(ConnectionError):
                if self._socket is not None and not self._socket.closed:
                    return await self._socket.send_str(frame)
            await asyncio.sleep(0.01)

    def _frames(self, count: int) -> list[tuple[str, str]]:
        made = []
        for _ in range(count):
            number, (author, text) = next(self._number), next(self._said)
            ts = f"{time.time() + number / 1e6:.6f}"
            event = {"type": "message", "channel": CHANNEL, "user": author, "ts": ts, "text": text, "team": TEAM}
            event |= {"event_ts": ts, "channel_type": "channel", "client_msg_id": f"{number:032x}"}
            body = {"type": "event_callback", "team_id": TEAM, "api_app_id": "A0", "event_id": f"Ev{number:09}"}
            more = {"event": event, "event_time": int(float(ts)), "token": "feed"}
            envelope = {"envelope_id": f"{number:x}", "type": "events_api", "payload": body | more}
            made.append((f"{number:x}", json.dumps(envelope | {"accepts_response_payload": False, "retry_attempt": 0})))
        return made[::-1]

    async def do(self, order: dict[str, Any]) -> dict[str, Any]:
        """Send what is ordered; the answer once every event is acknowledged, or two minutes after the last one."""
        frames = self._frames(order["count"])
        self.waits.clear()
        began = time.perf_counter()
        if rate := order.get("rate"):
            for number in range(order["count"]):
                await self._send(frames)
                await asyncio.sleep(max(0.0, began + (number + 1) / rate - time.perf_counter()))
        else:
            while frames:
                while frames and len(self._sent) < order["outstanding"]:
                    await self._send(frames)
                self.acknowledged.clear()
                await asyncio.wait_for(self.acknowledged.wait(), 120)
        last = time.perf_counter()
        while self._sent and time.perf_counter() - last < 120:  # noqa: ASYNC110  # one event would not do for many
            await asyncio.sleep(0.002)
        return {"waits": self.waits, "took": time.perf_counter() - began, "lost": len(self._sent)}


def stream(path: Path | None) -> list[tuple[str, str]]:
    """Authors and texts: those of a channel's messages in a file of JSON lines, or some of many kinds."""
    if path is None or not path.exists():
        return [(f"U{number % 97:07}", text) for number, text in enumerate(MIXED * 10)]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    authors = {name: f"U{number:07}" for number, name in enumerate(dict.fromkeys(row["author"] for row in rows), 1)}
    return [(authors[row["author"]], row["text"]) for row in rows]


async def main() -> None:
    """Serve until the input ends."""
    feeder = Feeder(stream(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
    app = web.Application()
    app.add_routes([web.route("*", "/api/{method}", feeder.call), web.get("/socket", feeder.serve)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    feeder.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    print(feeder.url, flush=True)  # noqa: T201  # the first line of the answers
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await feeder.do(json.loads(line))), flush=True)  # noqa: T201  # an answer
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
