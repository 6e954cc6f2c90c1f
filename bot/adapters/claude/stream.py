"""Answer of a server: the events of a stream, joined to one message, or plain JSON by one that does not stream.

The events are read here, since the library's own reader accepts tool arguments that do not parse and a stream that
simply ends, and takes no JSON answer in place of a stream.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.adapters.claude.dialects import is_cut
from bot.adapters.claude.form import TokenCounts
from bot.models.turn import ReplyFigures

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx2

    from bot.models.turn import Usage

LARGEST = 4_000_000
"""Bytes of one answer, and of one event; the longest turn is far below."""

_DONE = "[DONE]"
"""Last event of another API's streams, as some gateways send it."""

_TEXTS = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}
"""Field of each kind of delta that adds to a text."""


class MalformedAnswer(ValueError):
    """An answer that is not a message; its text completes "the server answers …"."""


class EndedStream(MalformedAnswer):
    """A stream that simply ends."""


class ErrorEvent(Exception):
    """An error that the server reports in its stream."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind)
        self.kind = kind
        self.detail = detail


class Answer:
    """One answer as far as it has come."""

    def __init__(self) -> None:
        self._message: dict[str, Any] | None = None
        self._blocks: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, dict[str, list[str]]] = {}
        self._at: dict[int, int] = {}
        """Number of the newest block of each index: some servers give all blocks the same one."""
        self._size = 0
        self._is_over = False
        self._is_streamed = False
        self._began, self._first = time.monotonic(), 0.0

    @property
    def has_begun(self) -> bool:
        """Return whether the server has begun a message: from then on the call is billed."""
        return self._message is not None

    async def receive(self, response: httpx2.Response, on_content: Callable[[], None]) -> None:
        """Read the whole answer. `on_content` is called at each event that adds something; pings add nothing.

        Raises `MalformedAnswer`, `ErrorEvent`, `ValueError` for text that is not JSON, and errors of the connection.
        """
        from httpx2 import EventSource

        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "text/event-stream":
            self._message = await self._read_plain(response)
            return
        self._is_streamed = True
        async for event in EventSource(response, max_event_size=LARGEST):
            if event.data.strip() == _DONE:
                self._is_over = True
            elif event.data and self._add(json.loads(event.data)):
                self._first = self._first or time.monotonic()
                on_content()
        if not self._is_over and (self._message or {}).get("stop_reason") is None:
            raise EndedStream("with a stream that ends in its middle")

    def to_message(self) -> dict[str, Any]:
        """Return the whole message, as the plain JSON would have it. Raises `MalformedAnswer`."""
        message = dict(self._message or {})
        if self._blocks:
            cut = is_cut(message.get("stop_reason"))
            message["content"] = [self._close_block(number, is_cut=cut) for number in self._blocks]
        return _with_whole_characters(message)

    def figures(self, *, sent: tuple[str, ...], left_out: tuple[str, ...]) -> ReplyFigures:
        """Return the figures of the whole answer, with the parameters that were sent, and those that were not."""
        now, counts = time.monotonic(), (self._message or {}).get("usage")
        return ReplyFigures(
            first_seconds=(self._first or now) - self._began,
            seconds=now - self._began,
            is_streamed=self._is_streamed,
            is_counted=isinstance(counts, dict) and any(counts.values()),
            sent=sent,
            left_out=left_out,
        )

    @property
    def text(self) -> str:
        """Return the texts so far, of an answer that broke; thoughts and arguments of calls are left out."""
        texts = [
            f"{block.get('text') or ''}{''.join(self._texts[index].get('text', []))}"
            for index, block in sorted(self._blocks.items())
            if block.get("type") == "text"
        ]
        return "\n".join(texts)

    def max_usage(self, max_output: int) -> Usage | None:
        """Return the maximum use of the call so far; `None` if the server has not reported what it read."""
        message = self._message or {}
        try:
            usage = TokenCounts.model_validate(message.get("usage")).to_usage()
        except ValidationError:
            return None
        if not usage.read:
            return None
        return usage if message.get("stop_reason") else usage.evolve(output_tokens=max_output)

    async def _read_plain(self, response: httpx2.Response) -> dict[str, Any]:
        content = bytearray()
        async for chunk in response.aiter_bytes():
            content += chunk
            self._count(len(chunk))
        message = json.loads(content)
        if not isinstance(message, dict):
            raise MalformedAnswer("with something that is not a message")
        if message.get("type") in ("error", None) and message.get("error"):
            self._add(message)
        return message

    def _add(self, event: Any) -> bool:
        """Add an event; return whether it has content."""
        match event:
            case {"type": "ping"}:
                return False
            case {"error": dict() as error}:
                raise ErrorEvent(str(error.get("type")), str(error.get("message", "")))
            case {"error": str() as error}:
                raise ErrorEvent("error", error)
            case {"type": "message_start", "message": dict() as message} if self._message is None:
                self._count(len(json.dumps(message)))
                self._message = {**message, "usage": _known(message.get("usage"))}
                return True
            case {"type": str()} if self._message is not None:
                return self._add_content(event, self._message)
            case _:
                raise MalformedAnswer("with something that is not a message")

    def _add_content(self, event: dict[str, Any], message: dict[str, Any]) -> bool:
        match event:
            case {"type": "content_block_start", "index": int() as index, "content_block": dict() as block}:
                self._count(len(json.dumps(block)))
                number = self._at[index] = len(self._blocks)
                self._blocks[number] = dict(block)
                self._texts[number] = {}
                return True
            case {"type": "content_block_delta", "index": int() as index, "delta": dict() as delta}:
                if index not in self._at:
                    raise MalformedAnswer("with something that is not a message")
                return self._add_delta(self._at[index], delta)
            case {"type": "message_delta", "delta": dict() as delta}:
                message["stop_reason"] = delta.get("stop_reason") or message.get("stop_reason")
                message["usage"] |= _known(event.get("usage"))  # totals; the others stay as at the start
                return False
            case {"type": "message_start"}:
                raise MalformedAnswer("with something that is not a message")
            case {"type": "message_stop"}:
                self._is_over = True
                return False
            case _:
                return False

    def _add_delta(self, number: int, delta: dict[str, Any]) -> bool:
        match delta:
            case {"type": "signature_delta", "signature": str() as signature}:
                self._count(len(signature))
                self._blocks[number]["signature"] = signature
                return bool(signature)
            case {"type": "citations_delta", "citation": citation}:
                self._count(len(json.dumps(citation)))
                cited = self._blocks[number].get("citations") or []
                self._blocks[number]["citations"] = [*cited, citation]
                return True
            case {"type": str() as kind} if kind in _TEXTS:
                field = _TEXTS[kind]
                if not isinstance(piece := delta.get(field), str):
                    raise MalformedAnswer("with something that is not a message")
                self._count(len(piece))
                self._texts[number].setdefault(field, []).append(piece)
                return bool(piece)
            case _:
                return False

    def _close_block(self, number: int, *, is_cut: bool) -> dict[str, Any]:
        """Return a block with the texts of its deltas; arguments that were cut at the length limit are left out."""
        block = dict(self._blocks[number])
        for field, pieces in self._texts[number].items():
            text = "".join(pieces)
            if field != "partial_json":
                block[field] = str(block.get(field) or "") + text
            elif text.strip():
                try:
                    block["input"] = json.loads(text)
                except ValueError as problem:
                    if not is_cut:
                        raise MalformedAnswer("with a call whose arguments are not JSON") from problem
        return block

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > LARGEST:
            raise MalformedAnswer("with more than a turn can hold")


def _known(counts: Any) -> dict[str, Any]:
    """Return the counts that a server reports; others may be `null`."""
    return {key: count for key, count in counts.items() if count is not None} if isinstance(counts, dict) else {}


def _with_whole_characters(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without half surrogate pairs: two halves become their character, one alone a question mark."""
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        paired = json.loads(json.dumps(message))
        message = json.loads(json.dumps(paired, ensure_ascii=False).encode("utf-8", "replace"))
    return message
