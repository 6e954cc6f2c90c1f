"""Counts of readers' feedback on replies, from `feedback.ndjson`. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

VOTES = ("up", "down", "wrong_source", "wrong_answer", "outdated")


def count_votes(records: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Count lines of `feedback.ndjson`: thumbs, and the reasons for thumbs down.

    A person counts once for each reply, with the newest vote; a repeated thumb down keeps its reason.
    """
    newest: dict[tuple[Any, Any], tuple[Any, Any]] = {}
    for record in records:
        if record.get("vote") not in VOTES:  # an operator's feedback, not a reader's
            continue
        name = (record.get("draft_id"), record.get("by"))
        vote, reason = record.get("vote"), record.get("reason")
        before, previous_reason = newest.get(name, (None, None))
        newest[name] = (vote, reason or (previous_reason if vote == before == "down" else None))
    counts = Counter(value for word in newest.values() for value in word)
    return {name: counts[name] for name in VOTES}
