"""Sizes of the pages in which a history is read: small at first, larger as long as what comes is short.

A page of Slack's two hundred longest messages is sixteen megabytes of JSON, which the loop would parse in one go.
"""

from __future__ import annotations

from typing import Any

FIRST, MOST = 10, 200
"""Messages that one call asks for."""
_LONG = 200_000
"""Characters of a page after which the next one is no larger."""


def size_after(size: int, messages: list[dict[str, Any]]) -> int:
    """How many messages to ask for after a page of this size that brought these."""
    text = sum(len(str(message.get("text") or "")) for message in messages)
    return FIRST if text > _LONG else min(MOST, size * 4)


def data_of(answer: Any) -> dict[str, Any]:
    """What Slack said in an answer of its SDK."""
    data: dict[str, Any] = answer.data
    return data
