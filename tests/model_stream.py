"""Answers of the model server as server-sent events, and every way in which such a stream goes wrong.

`after` in the faults below is a number of events, or the type of the event after whose first occurrence it happens.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Fault = Callable[[web.Request], Awaitable[web.StreamResponse]]

COMPLETE = web.RequestKey("complete", partial[Body])
"""Function of a request that adds the server's usage to a message."""
ENDING = web.AppKey("ending", asyncio.Event)
"""Set once the server ends, so that no fault outlasts it."""

SEGMENT = 1_400
"""Bytes written immediately: it cuts events, and characters of several bytes, anywhere."""
PIECE = 24
"""Characters of a delta; a long text has at most 200 deltas."""

PING: Body = {"type": "ping"}


def stream_events(message: Body) -> list[Body]:
    """The events of a message, as the API sends them: counts of what was read first, of what was written last."""
    usage = message.get("usage", {})
    start = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    delta = {"stop_reason": message.get("stop_reason"), "stop_sequence": None}
    return [
        {"type": "message_start", "message": start},
        PING,
        *(event for index, block in enumerate(message["content"]) for event in _block_events(index, block)),
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.get("output_tokens", 0)}},
        {"type": "message_stop"},
    ]


def _block_events(index: int, block: Body) -> Iterator[Body]:
    match block.get("type"):
        case "text":
            begun = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        case "thinking":
            begun = {**block, "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "tool_use":
            begun = {**block, "input": {}}
            pieces = ["", *_pieces(json.dumps(block.get("input", {})))]
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        case _:
            begun, deltas = block, []
    yield {"type": "content_block_start", "index": index, "content_block": begun}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _pieces(text: str) -> list[str]:
    size = max(PIECE, len(text) // 200)
    return [text[start : start + size] for start in range(0, len(text), size)]


def encode_event(event: Body) -> bytes:
    """One event on the wire."""
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode("utf-8", "surrogatepass")


async def send_message(request: web.Request, message: Body) -> web.StreamResponse:
    """Stream a whole message."""
    response = await _begin(request)
    await _write(response, b"".join(map(encode_event, stream_events(message))))
    return response


def plain(message: Body) -> Fault:
    """A JSON answer to a streaming call, as servers give that do not stream."""

    async def fault(request: web.Request) -> web.StreamResponse:
        return web.json_response(request[COMPLETE](message))

    return fault


def cut_stream(message: Body, after: int | str) -> Fault:
    """A stream whose connection is torn down."""

    async def fault(request: web.Request) -> web.StreamResponse:
        response = await _send_until(request, message, after)
        assert request.transport is not None
        request.transport.abort()
        return response

    return fault


def ended_stream(message: Body, after: int | str) -> Fault:
    """A stream that simply ends."""

    async def fault(request: web.Request) -> web.StreamResponse:
        return await _send_until(request, message, after)

    return fault


def error_in_stream(message: Body, after: int | str, *, kind: str = "overloaded_error", said: str = "no") -> Fault:
    """A stream with an error event; `after=0`: its only event."""
    return spoiled_stream(message, after, encode_event({"type": "error", "error": {"type": kind, "message": said}}))


def spoiled_stream(message: Body, after: int | str, bytes_: bytes = b'event: ping\ndata: {"broken\n\n') -> Fault:
    """A stream that ends with these bytes; by default a chunk that is not JSON."""

    async def fault(request: web.Request) -> web.StreamResponse:
        response = await _send_until(request, message, after)
        await response.write(bytes_)
        return response

    return fault


def pinging_stream(message: Body, after: int | str, *, every: float = 0.02, bytes_: bytes = b"") -> Fault:
    """A stream that goes on with pings alone, or with these bytes, until the server or the client ends."""

    async def fault(request: web.Request) -> web.StreamResponse:
        response = await _send_until(request, message, after)
        while not await _is_ending(request, every):
            await response.write(bytes_ or encode_event(PING))
        return response

    return fault


def dripping_stream(message: Body, after: int | str, *, every: float = 0.02) -> Fault:
    """A stream that goes on byte by byte."""

    async def fault(request: web.Request) -> web.StreamResponse:
        response = await _send_until(request, message, after)
        events = stream_events(request[COMPLETE](message))
        for byte in b"".join(map(encode_event, events[_count(events, after) :])):
            if await _is_ending(request, every):
                break
            await response.write(bytes([byte]))
        return response

    return fault


def slow_stream(message: Body, *, every: float) -> Fault:
    """A whole stream with a pause after each event."""

    async def fault(request: web.Request) -> web.StreamResponse:
        response = await _begin(request)
        for event in stream_events(request[COMPLETE](message)):
            await response.write(encode_event(event))
            if await _is_ending(request, every):
                break
        return response

    return fault


async def _begin(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    return response


async def _write(response: web.StreamResponse, content: bytes) -> None:
    for start in range(0, len(content), SEGMENT):
        await response.write(content[start : start + SEGMENT])


async def _send_until(request: web.Request, message: Body, after: int | str) -> web.StreamResponse:
    response = await _begin(request)
    events = stream_events(request[COMPLETE](message))
    await _write(response, b"".join(map(encode_event, events[: _count(events, after)])))
    return response


def _count(events: Sequence[Body], after: int | str) -> int:
    return after if isinstance(after, int) else [event["type"] for event in events].index(after) + 1


async def _is_ending(request: web.Request, seconds: float) -> bool:
    """Wait so long; true when the server ends."""
    try:
        await asyncio.wait_for(request.app[ENDING].wait(), seconds)
    except TimeoutError:
        return False
    return True
