"""Server of the demo's recorded answers: `POST /v1/messages` on loopback, in the form of the Messages API.

Tokens are estimated from the length of request and answer, since nothing was counted by a model.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from bot.cli.recorded_answers import NotRecorded, find_turn, read_recordings
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp import web

    from bot.cli.recorded_answers import Body

CHARACTERS_PER_TOKEN = 4
LARGEST_REQUEST = 16_000_000
"""Bytes of a request: a history with all results of its tools."""

_ids = count(1)


@dataclass(frozen=True, kw_only=True)
class RecordedModel:
    """The running server."""

    url: str
    runner: web.AppRunner

    async def close(self) -> None:
        """Stop the server."""
        await self.runner.cleanup()


async def start_recorded_model(port: int, *, further: Sequence[web.RouteDef] = ()) -> RecordedModel:
    """Start the server at this port, 0 for a free one; `further` are other routes that it serves.

    Raises `Misconfigured` if another program listens there: the settings name the port.
    """
    from aiohttp import web  # as late as the workspace's server

    recordings = read_recordings()

    async def answer(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        try:
            blocks = find_turn(body, recordings)
        except NotRecorded as problem:
            from bot.adapters.claude.faults import UNRECORDED  # the demo's page need not wait for it

            error = {"type": UNRECORDED, "message": str(problem)}
            return web.json_response({"type": "error", "error": error}, status=400)
        message = build_message(body, blocks)
        if not body.get("stream"):
            return web.json_response(message)
        response = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        for event in list_events(message):
            await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        return response

    app = web.Application(client_max_size=LARGEST_REQUEST)
    app.router.add_routes([web.post("/v1/messages", answer), *further])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
    except OSError:
        await runner.cleanup()
        taken = f"the port {port} of the recorded model is taken"
        raise Misconfigured(f"model.base_url: {taken}; stop what listens there, or name another port") from None
    return RecordedModel(url=f"http://127.0.0.1:{runner.addresses[0][1]}", runner=runner)


def build_message(body: Body, blocks: list[Body]) -> Body:
    """Return the message of the API with these blocks, in the name of the model that was asked."""
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_recorded_{next(_ids)}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": blocks,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": _estimate(body), "output_tokens": _estimate(blocks)},
    }


def list_events(message: Body) -> list[Body]:
    """Return the events of a message that is streamed; each block comes whole, in one delta."""
    events: list[Body] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ending, "usage": message["usage"]})
    return [*events, {"type": "message_stop"}]


def _estimate(content: object) -> int:
    return len(json.dumps(content)) // CHARACTERS_PER_TOKEN
