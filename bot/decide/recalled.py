"""Thread context from records of `events-classified.ndjson`: what was learnt before a start. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.surroundings import Surroundings
from bot.decide.weights import wants
from bot.models.said import Placed, said

if TYPE_CHECKING:
    from collections.abc import Iterable

LEARNED_FROM = 20_000
"""How many of the newest classified messages tell who answers where."""


def recalled(records: Iterable[dict[str, Any]]) -> Surroundings:
    """Return what these records tell, oldest first; a message that was judged again counts once."""
    around, seen = Surroundings(), set()
    for record in records:
        place = record.get("chat_id"), record.get("message_id")
        if place in seen or record.get("door") or not isinstance(record.get("content"), str):
            continue
        seen.add(place)
        heard = said(record)
        if heard is None or not heard.sender:
            continue
        placed = Placed(heard)
        fired = _fired(record.get("reasons"))
        around.context_of(placed, for_help="asks_for_help" in fired)
        if record.get("classification") != "ack":
            around.learn(placed, asks=wants(fired), actionable=record.get("classification") == "actionable")
    return around


def _fired(reasons: Any) -> list[str]:
    """The names of the features that a record shows."""
    given = reasons if isinstance(reasons, list) else []
    return [str(reason.get("feature")) for reason in given if isinstance(reason, dict)]
