"""Dialects of the Messages API: the same two turns, a call and an answer, as other servers send them or refuse them.

Each is a script for `ModelServer`. What Ollama and llama.cpp leave out is taken from their documentation and source
(docs/models.md); the others are what gateways between two APIs are known to do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from aiohttp import web

from tests.model_server import Answer, answer, raw, says, status, text
from tests.model_stream import PING, Body, Fault, encode_event, plain, stream_events

Dialect = Callable[[Body], Answer]
CALL: Body = {"type": "tool_use", "id": "toolu_a", "name": "read_file", "input": {"path": "a.py"}}
ANSWER = '{"limit": 3}'
SAID: ContextVar[Callable[[Body], str]] = ContextVar("SAID")
"""Another answer to a request, in place of `ANSWER`."""
PROSE = f"Sure! In {{a.py}} I read it:\n```json\n{ANSWER}\n```\nDoes {{that}} help?"


def message(body: Body, *, call: Body = CALL, said: str = ANSWER, **changes: Any) -> Body:
    """The turn after this request: a call, and the answer once it has its result."""
    if other := SAID.get(None):
        said = said.replace(ANSWER, other(body))
    has_result = '"tool_result"' in json.dumps(body["messages"])
    whole = answer(text(said), stop="end_turn") if has_result else answer(call, stop="tool_use")
    return whole | {"usage": {"input_tokens": 9, "output_tokens": 5}} | changes


def events(sent: Sequence[Body], ending: bytes = b"") -> Fault:
    """A stream of these events."""

    async def fault(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"".join(map(encode_event, sent)) + ending)
        return response

    return fault


def without(field: str, whole: Body) -> Body:
    """An object without a field."""
    return {key: value for key, value in whole.items() if key != field}


def refusing(is_odd: Callable[[Body], bool], refusal: Answer) -> Dialect:
    """A server that refuses such requests."""
    return lambda body: refusal if is_odd(body) else message(body)


def _unsigned(body: Body) -> Answer:
    """Thoughts without a signature, counts in the last event alone, no pings: a stream of Ollama."""
    thought = {"type": "thinking", "thinking": "hm"}
    whole = message(body)
    whole["content"] = [thought | {"signature": ""}, *whole["content"]]
    sent = [event for event in stream_events(whole) if event != PING]
    sent[0]["message"] = without("stop_reason", sent[0]["message"]) | {"usage": {"input_tokens": 1, "output_tokens": 0}}
    sent[1]["content_block"] = thought | {"thinking": ""}
    sent[-2]["usage"] = whole["usage"]
    return events([event for event in sent if event.get("delta", {}).get("type") != "signature_delta"])


def _late_usage(body: Body) -> Answer:
    sent = stream_events(message(body))
    sent[0]["message"] = without("usage", sent[0]["message"])
    sent[-2]["usage"] = {"input_tokens": 9, "output_tokens": 5}
    return events(sent)


def _twice(body: Body) -> Answer:
    whole = message(body)
    return whole | {"content": [*whole["content"], *([CALL] if whole["stop_reason"] == "tool_use" else [])]}


def _one_index(body: Body) -> Answer:
    whole = message(body)
    sent = stream_events(whole | {"content": [text("So: "), *whole["content"]]})
    return events([event | {"index": 0} if "index" in event else event for event in sent])


def _stop(of_call: str | None, of_answer: str | None) -> Dialect:
    def dialect(body: Body) -> Answer:
        whole = message(body)
        return whole | {"stop_reason": of_call if whole["stop_reason"] == "tool_use" else of_answer}

    return dialect


def _is_streaming(body: Body) -> bool:
    return body["stream"] is True


def _has_unsigned_thought(body: Body) -> bool:
    blocks = [block for entry in body["messages"] for block in entry["content"]]
    return any(block["type"] == "thinking" and not block.get("signature") for block in blocks)


DIALECTS: dict[str, Dialect] = {
    "prose around the JSON": lambda body: message(body, said=PROSE),
    "thoughts in the text": lambda body: message(body, said=f"<think>Is it {{4}}? No.</think>\n{ANSWER}"),
    "half of the tag": lambda body: message(body, said=f"It is {{4}}? No.\n</think>\n\n{ANSWER}"),
    "refuses output_config": refusing(lambda body: "output_config" in body, status(400, said="output_config")),
    "refuses markers": refusing(lambda body: "cache_control" in json.dumps(body), status(400, said="extra field")),
    "refuses a list as prompt": refusing(
        lambda body: not isinstance(body.get("system", ""), str), raw('{"detail": "system: not a string"}', number=422)
    ),
    "refuses unsigned thoughts": lambda body: status(400) if _has_unsigned_thought(body) else _unsigned(body),
    "Ollama": _unsigned,
    "no usage": lambda body: events([without("usage", event) for event in stream_events(message(body, usage={}))]),
    "usage at the end": _late_usage,
    "counts that are null": lambda body: message(body, usage={"input_tokens": None, "output_tokens": None}),
    "no stop reason": _stop(None, None),
    "empty stop reason": _stop("", ""),
    "stop reasons of another API": _stop("tool_calls", "stop"),
    "a stream ended as in another API": lambda body: events(stream_events(message(body))[:-1], b"data: [DONE]\n\n"),
    "arguments as a string": lambda body: message(body, call=CALL | {"input": '{"path": "a.py"}'}),
    "no id": lambda body: message(body, call=without("id", CALL)),
    "an id that is a number": lambda body: message(body, call=CALL | {"id": 7}),
    "the same id twice": _twice,
    "another name of the model": lambda body: message(body, model="qwen3-coder:30b-a3b-q4_K_M"),
    "no name of the model": lambda body: without("model", message(body)),
    "no pings": lambda body: events([event for event in stream_events(message(body)) if event != PING]),
    "one index for all blocks": _one_index,
    "no stream": lambda body: plain(message(body)),
    "404 for a stream": refusing(_is_streaming, raw("404 page not found", content_type="text/plain", number=404)),
    "501 for a stream": refusing(_is_streaming, status(501)),
}
"""Dialects in which a run ends with its answer."""

CALL_TEXT = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.py"}}\n</tool_call>'
BROKEN: dict[str, tuple[Answer, str]] = {
    "a call as text": (says(CALL_TEXT), "a tool call written as text"),
    "a call as JSON": (says('{"name": "read_file", "parameters": {"path": "a.py"}}'), "a tool call written as text"),
    "an empty text": (says(" "), "it is empty"),
    "thoughts alone": (says("<think>I wonder {"), "it is empty"),
    "no content": (raw('{"type": "message", "content": null, "stop_reason": "end_turn"}'), "it is empty"),
    "cut": (says('{"limit"', stop="length"), "was cut at the length limit"),
}
"""Answers after which a run ends without one, and its reason."""
