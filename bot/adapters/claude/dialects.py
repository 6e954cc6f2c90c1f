"""Answers of servers that deviate from the documented form, brought into it (docs/models.md).

A call is only ever read from a block of type `tool_use`: a call that a model writes into its text is text.
"""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

from bot.models.turn import Call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.turn import Stop

_STOPS: dict[str, Stop] = {
    "end_turn": "answered",
    "stop_sequence": "answered",
    "tool_use": "calls",
    "max_tokens": "cut",
    "pause_turn": "paused",
    "refusal": "refused",
    "model_context_window_exceeded": "full",
    # the names of another API, as gateways pass them on
    "stop": "answered",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "cut",
    "content_filter": "refused",
}
Blocks = tuple[dict[str, Any], ...]


def read_stop(reason: str | None, *, has_calls: bool) -> Stop | None:
    """Return the end of a whole answer; `None` for an unknown reason. One without a reason is an answer or calls."""
    stop = _STOPS.get(reason) if reason else "answered"
    if stop in ("answered", "calls"):  # some servers mix these two up
        return "calls" if has_calls else "answered"
    return stop


def is_cut(reason: object) -> bool:
    """Return whether this is the reason of an answer that reached the length limit."""
    return isinstance(reason, str) and _STOPS.get(reason) == "cut"


def repair_message(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with a list as content; an empty answer has `null`."""
    return {**message, "content": []} if message.get("content", ...) is None else message


def read_calls(blocks: Sequence[dict[str, Any]]) -> tuple[tuple[Call, ...], Blocks]:
    """Return the calls, and the blocks in the form in which servers take them back.

    Each call has its own id in the turn and an object as input; an input that is none stays unjudged in the call.
    Blocks in the documented form are unchanged. Raises `ValueError` for a call without a name.
    """
    calls: list[Call] = []
    content: list[dict[str, Any]] = []
    taken = {str(block["id"]) for block in blocks if block.get("type") == "tool_use" and block.get("id")}
    used: set[str] = set()
    for block in blocks:
        if block.get("type") == "tool_use":
            call_id, name = block.get("id"), block.get("name")
            if not isinstance(name, str) or not name:
                raise ValueError("a call without a name")
            if not isinstance(call_id, str) or not call_id or call_id in used:
                call_id = next(new for n in count() if (new := f"call_{n}") not in taken)
                taken.add(call_id)
            used.add(call_id)
            given = _decode_input(block.get("input"))
            calls.append(Call(call_id=call_id, tool=name, input=given))
            block = {**block, "id": call_id, "input": given if isinstance(given, dict) else {}}
        content.append(block)
    return tuple(calls), tuple(content)


def _decode_input(given: Any) -> Any:
    """Return the input of a call; an object that comes as JSON in a string is decoded, a missing one is empty."""
    if given is None:
        return {}
    if isinstance(given, str):
        try:
            decoded = json.loads(given or "{}")
        except (ValueError, RecursionError):
            return given
        return decoded if isinstance(decoded, dict) else given
    return given
