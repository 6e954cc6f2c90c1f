"""What people's words add up to: thumbs under replies, and corrections of what the rules said. Called by `metrics`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bot.models.label import WITHDRAWN

if TYPE_CHECKING:
    from collections.abc import Iterable

VOTES = ("up", "down", "wrong_source", "wrong_answer", "outdated")
CORRECTIONS = ("missed_this", "not_for_us")


def votes(records: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Lines of `feedback.ndjson` as counts: thumbs, and the reasons of those that are down.

    A person counts once for each reply, with their newest word; a thumb down that is pressed again keeps its reason.
    """
    newest: dict[tuple[Any, Any], tuple[Any, Any]] = {}
    for record in records:
        name = (record.get("draft_id"), record.get("by"))
        vote, reason = record.get("vote"), record.get("reason")
        before, known = newest.get(name, (None, None))
        newest[name] = (vote, reason or (known if vote == before == "down" else None))
    counts = Counter(said for word in newest.values() for said in word)
    return {name: counts[name] for name in VOTES}


def corrections(records: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Lines of `labels.ndjson` as counts of messages, by what was said of each last and not taken back."""
    words: dict[tuple[Any, Any], dict[Any, Any]] = {}
    for record in records:
        message = record.get("message")
        if not isinstance(message, dict):
            continue
        standing = words.setdefault((message.get("chat_id"), message.get("message_id")), {})
        standing.pop(record.get("by"), None)
        if record.get("label") != WITHDRAWN:
            standing[record.get("by")] = record.get("why")
    counts = Counter(next(reversed(standing.values())) for standing in words.values() if standing)
    return {name: counts[name] for name in CORRECTIONS}
