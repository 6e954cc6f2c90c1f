"""A model server on loopback that speaks `POST /v1/messages` and answers what a test or a demonstration tells it to.

    async with ModelServer([calls(("read_file", {"path": "a.py"})), says('{"answer": 42}')]) as server:
        Server(key=None, base_url=server.url, ...)

An answer is what `says`, `calls` and their kin make, or a fault such as `status(529)`. Answers come from a list, in its
order, or from a function of the request's body, which can play many conversations at once. A question that nobody
scripted is answered with 418 and fails the test at the end of the block; one that the API would refuse gets its 400.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Fault = Callable[[web.Request], Awaitable[web.StreamResponse]]
Answer = Body | Fault
Script = Sequence[Answer] | Callable[[Body], Answer]

_ids = count(1)


def answer(*blocks: Body, stop: str | None, **changes: Any) -> Body:
    """A message of these blocks; `usage` is filled in by the server unless it is given.

    It calls its model `scripted`: by that `triage drill` knows that nobody thinks here.
    """
    message = {"id": f"msg_{next(_ids)}", "type": "message", "role": "assistant", "model": "scripted"}
    return message | {"content": list(blocks), "stop_reason": stop, "stop_sequence": None} | changes


def text(said: str) -> Body:
    """A text block."""
    return {"type": "text", "text": said}


def thought(said: str) -> Body:
    """A thinking block, with the signature that must come back unchanged."""
    return {"type": "thinking", "thinking": said, "signature": f"sig-{said}"}


def says(said: str, *, stop: str = "end_turn", **changes: Any) -> Body:
    """An answer in prose or JSON."""
    return answer(text(said), stop=stop, **changes)


def calls(*wanted: tuple[str, Any], said: str = "", stop: str = "tool_use", **changes: Any) -> Body:
    """Calls of tools, each a name and an input, after a word of its own."""
    blocks = [{"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": name, "input": given} for name, given in wanted]
    return answer(*([text(said)] if said else []), *blocks, stop=stop, **changes)


def empty() -> Body:
    """An answer without any content."""
    return answer(stop="end_turn")


def refuses() -> Body:
    """A refusal."""
    return answer(stop="refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": None})


def status(number: int, *, retry_after: float | None = None, kind: str = "error", said: str = "no") -> Fault:
    """An error in the API's own form."""

    async def fault(request: web.Request) -> web.StreamResponse:
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        body = {"type": "error", "error": {"type": kind, "message": said}}
        return web.json_response(body, status=number, headers=headers)

    return fault


def raw(content: str, *, content_type: str = "application/json", number: int = 200, **headers: str) -> Fault:
    """These very bytes."""

    async def fault(request: web.Request) -> web.StreamResponse:
        return web.Response(text=content, content_type=content_type, status=number, headers=headers)

    return fault


async def reset(request: web.Request) -> web.StreamResponse:
    """The connection is torn down without a word."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def cut_body(request: web.Request) -> web.StreamResponse:
    """The answer breaks off in its middle."""
    response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "4000"})
    await response.prepare(request)
    await response.write(b'{"id": "msg_cut", "type": "message", "content": [{"type": "te')
    assert request.transport is not None
    request.transport.close()
    return response


async def hang(request: web.Request) -> web.StreamResponse:
    """Nothing is answered until the server ends."""
    await request.app[_ENDING].wait()
    return web.Response(status=503)


def misshapen(body: Body) -> str:
    """What the API would refuse a request for: roles out of turn, no content, calls without results, many marks."""
    said = body["messages"]
    roles = [message["role"] for message in said]
    if roles != [("user", "assistant")[number % 2] for number in range(len(roles))]:
        return f"roles must be in turn, a user's first: {roles}"
    if not all(message["content"] for message in said):
        return "each message needs content"
    for asked, told in pairwise(said):
        calls_made = [block["id"] for block in asked["content"] if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in told["content"] if block["type"] == "tool_result"]
        if sorted(calls_made) != sorted(results):
            return "each call needs its result in the next message"
    return "at most four marks" if json.dumps(body).count('"cache_control"') > 4 else ""


_ENDING = web.AppKey("ending", asyncio.Event)


@dataclass
class ModelServer:
    """The server; `requests` and `headers` are what it got, in order, retries included."""

    script: Script
    requests: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    unscripted: int = 0
    port: int = 0
    most_at_once: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the first request."""
    _now: int = 0
    _given: int = 0
    _prefixes: set[str] = field(default_factory=set)

    @property
    def url(self) -> str:
        """The `base_url`."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> ModelServer:
        app = web.Application(client_max_size=64_000_000)
        app[_ENDING] = self._ending = asyncio.Event()
        app.router.add_post("/v1/messages", self._messages)
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        self._ending.set()
        await self._runner.cleanup()
        if kind is None and self.unscripted:
            raise AssertionError(f"{self.unscripted} questions were asked that nobody scripted")

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.arrived.set()
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            if wrong := misshapen(body):
                return await status(400, kind="invalid_request_error", said=wrong)(request)
            chosen = self._chosen(body)
            if callable(chosen):
                return await chosen(request)
            return web.json_response({"usage": self._usage(body, chosen)} | chosen)
        finally:
            self._now -= 1

    def _chosen(self, body: Body) -> Answer:
        if callable(self.script):
            return self.script(body)
        if self._given == len(self.script):
            self.unscripted += 1
            return status(418)
        self._given += 1
        return self.script[self._given - 1]

    def _usage(self, body: Body, chosen: Body) -> Body:
        """Four characters a token, the marked prefix counted as a cache would."""
        prefix = json.dumps([body.get("tools"), body.get("system")], sort_keys=True)
        marked = "cache_control" in prefix
        known = hashlib.sha256(prefix.encode()).hexdigest()
        seen = known in self._prefixes
        self._prefixes.add(known)
        return {
            "input_tokens": len(json.dumps(body["messages"])) // 4 + (0 if marked else len(prefix) // 4),
            "cache_creation_input_tokens": len(prefix) // 4 if marked and not seen else 0,
            "cache_read_input_tokens": len(prefix) // 4 if marked and seen else 0,
            "output_tokens": len(json.dumps(chosen["content"])) // 4,
        }
