"""Records of threads that somebody answered in."""

from __future__ import annotations

from typing import Any

from tests.builders import message


def question(number: int, by: str) -> dict[str, Any]:
    """The first message of a thread."""
    fields = message(ts=f"{number}.000001", sender=by).model_dump(mode="json")
    return {**fields, "classification": "actionable", "reasons": [{"feature": "whole_question", "weight": 1.0}]}


def reply(number: int, by: str, classification: str = "ambient") -> dict[str, Any]:
    """A message in that thread."""
    said = message("look here", ts=f"{number}.5", root=f"{number}.000001", sender=by)
    return {
        **said.model_dump(mode="json"),
        "message_id": f"{number}.{sum(map(ord, by))}",
        "classification": classification,
    }


def threads(count: int, *, by: str = "U0OLU", **of: Any) -> list[dict[str, Any]]:
    """So many questions of three people, each answered by one."""
    return [record for n in range(count) for record in (question(n, f"U{n % 3}ASK"), reply(n, by, **of))]
