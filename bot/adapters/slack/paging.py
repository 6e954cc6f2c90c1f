"""Page sizes for reading a history: small at first, larger as long as the content is short.

A page of Slack's two hundred longest messages is sixteen megabytes of JSON, which would block the event loop while it
is parsed.
"""

from __future__ import annotations

from typing import Any

FIRST, MAX_PAGE = 10, 200
"""Messages requested by one call."""
_LONG = 200_000
"""Characters of a page after which the next one starts small again."""


def size_after(size: int, messages: list[dict[str, Any]]) -> int:
    """Return the number of messages to request after a page of this size with these messages."""
    text = sum(len(str(message.get("text") or "")) for message in messages)
    return FIRST if text > _LONG else min(MAX_PAGE, size * 4)


def data_of(answer: Any) -> dict[str, Any]:
    """Return the data of an SDK answer."""
    data: dict[str, Any] = answer.data
    return data
