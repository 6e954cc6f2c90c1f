"""A model server on loopback that speaks `POST /v1/messages` and answers what a test or a demonstration tells it to.

    async with ModelServer([calls(("read_file", {"path": "a.py"})), says('{"answer": 42}')]) as server:
        Server(key=None, base_url=server.url, ...)

An answer is what `says`, `calls` and their kin make, or a fault such as `status(529)`. Answers come from a list, in its
order, or from a function of the request's body, which can play many conversations in parallel. A question that nobody
scripted is answered with 418 and fails the test at the end of the block; one that the API would refuse gets its 400.
An answer to `stream: true` is a stream of events; `model_stream` has the faults of streams.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, pairwise
from typing import Any

from aiohttp import web

from tests.model_stream import COMPLETE, ENDING, send_message
from tests.model_stream import Body as Body
from tests.model_stream import Fault as Fault
from tests.prompt_cache import PromptCache

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
    await request.app[ENDING].wait()
    return web.Response(status=503)


def misshapen(body: Body) -> str:
    """What the API would refuse a request for: roles out of turn, no content, calls without results, many marks."""
    said = body["messages"]
    roles = [message["role"] for message in said]
    if roles != [("user", "assistant")[number % 2] for number in range(len(roles))]:
        return f"roles must be in turn, a user's first: {roles}"
    blocks = [block for message in said for block in message["content"]]
    if not all(message["content"] for message in said) or not all(block.get("text", ".").strip() for block in blocks):
        return "each message needs content, and each text a word"
    thoughts = [block for block in blocks if block["type"] == "thinking"]
    if any("cache_control" in block or block.get("signature") == "" for block in thoughts):
        return "a thought takes no mark and needs its signature"
    for asked, told in pairwise(said):
        calls_made = [block["id"] for block in asked["content"] if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in told["content"] if block["type"] == "tool_result"]
        if sorted(calls_made) != sorted(results):
            return "each call needs its result in the next message"
    return "at most four marks" if json.dumps(body).count('"cache_control"') > 4 else ""


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
    cache: PromptCache = field(default_factory=PromptCache)
    _now: int = 0
    _given: int = 0
    _thoughts: dict[str, list[list[Body]]] = field(default_factory=dict)
    """Each thought by its signature, after the blocks that came before it in its turn."""

    @property
    def url(self) -> str:
        """The `base_url`."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> ModelServer:
        app = web.Application(client_max_size=64_000_000)
        app[ENDING] = self._ending = asyncio.Event()
        app.router.add_post("/v1/messages", self._messages)
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, backlog=1_024)
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
            if wrong := misshapen(body) or self._changed_thought(body):
                return await status(400, kind="invalid_request_error", said=wrong)(request)
            request[COMPLETE] = partial(self._complete, body)
            chosen = self._chosen(body)
            if callable(chosen):
                return await chosen(request)
            message = self._complete(body, chosen)
            return await send_message(request, message) if body.get("stream") else web.json_response(message)
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

    def _complete(self, body: Body, message: Body) -> Body:
        """Add the usage to a message, and remember its thoughts."""
        content = message["content"]
        for number, block in enumerate(content):
            if block.get("type") == "thinking":
                self._thoughts.setdefault(block.get("signature", ""), []).append(content[: number + 1])
        return {"usage": self.cache.read(body) | {"output_tokens": len(json.dumps(content)) // 4}} | message

    def _changed_thought(self, body: Body) -> str:
        """What the API refuses a turn for that comes back with a thought, but not with all that stood before it."""
        for message in body["messages"]:
            for number, block in enumerate(message["content"]):
                given = self._thoughts.get(block.get("signature", "")) if block["type"] == "thinking" else None
                before = message["content"][: number + 1]
                if given and not any(before[-len(blocks) :] == blocks for blocks in given):
                    return "thinking blocks cannot be modified, nor what stood before them"
        return ""
