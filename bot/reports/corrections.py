"""What people have said of the classifier's judgements: `labels.ndjson` held against what it had judged. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from bot.models.classification import Class

if TYPE_CHECKING:
    from collections.abc import Iterable

_JUDGED_OTHERWISE = {"actionable": "ambient", "ambient": "actionable", "ack": "actionable"}
"""What a message was taken for that nothing is known of: people correct what they saw go wrong."""


@dataclass(frozen=True, kw_only=True)
class Misjudged:
    """Messages that people have labelled, and how many of them had been judged wrongly."""

    labels: int
    missed: int
    """Worth attention, and taken for something else."""
    false_alarms: int
    """Taken for worth attention, and not."""


def misjudged(labels: Iterable[dict[str, Any]], classified: Iterable[dict[str, Any]]) -> Misjudged:
    """From lines of `labels.ndjson` and of `events-classified.ndjson`; the last word on a message counts."""
    judged: dict[Any, Any] = {
        (said.get("chat_id"), said.get("message_id")): said.get("classification") for said in classified
    }
    words: dict[Any, dict[str, str]] = {}
    for line in labels:
        message = line.get("message")
        place = _place(message) if isinstance(message, dict) else str(message)
        standing = words.setdefault(place, {})
        standing.pop(str(line.get("by")), None)
        if line.get("label") in get_args(Class):  # another word, such as `withdrawn`, takes back what was said
            standing[str(line.get("by"))] = line["label"]
        if isinstance(message, dict) and message.get("classification"):
            judged.setdefault(place, message["classification"])
    last = {place: [*said.values()][-1] for place, said in words.items() if said}
    was = {place: judged.get(place) or _JUDGED_OTHERWISE[label] for place, label in last.items()}
    return Misjudged(
        labels=len(last),
        missed=sum(label == "actionable" != was[place] for place, label in last.items()),
        false_alarms=sum(was[place] == "actionable" != label for place, label in last.items()),
    )


def _place(message: dict[str, Any]) -> tuple[Any, Any]:
    return message.get("chat_id"), message.get("message_id")
