"""Corrections of the classifier: labels in `labels.ndjson` compared with its classifications. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from bot.models.classification import Class

if TYPE_CHECKING:
    from collections.abc import Iterable

_JUDGED_OTHERWISE = {"actionable": "ambient", "ambient": "actionable", "ack": "actionable"}
"""Presumed classification of a labelled message without a record: people correct wrong ones."""


@dataclass(frozen=True, kw_only=True)
class Misjudged:
    """Labelled messages, and how many of them were misclassified."""

    labels: int
    missed: int
    """Actionable messages that were classified as something else."""
    false_alarms: int
    """Messages that were wrongly classified as actionable."""


def count_misjudged(labels: Iterable[dict[str, Any]], classified: Iterable[dict[str, Any]]) -> Misjudged:
    """Compare lines of `labels.ndjson` with those of `events-classified.ndjson`; the last label of a message counts."""
    judged: dict[Any, Any] = {
        (entry.get("chat_id"), entry.get("message_id")): entry.get("classification") for entry in classified
    }
    words: dict[Any, dict[str, str]] = {}
    for line in labels:
        message = line.get("message")
        place = _message_key(message) if isinstance(message, dict) else str(message)
        standing = words.setdefault(place, {})
        standing.pop(str(line.get("by")), None)
        if line.get("label") in get_args(
            Class
        ):  # other labels, such as `withdrawn`, only remove the person's earlier one
            standing[str(line.get("by"))] = line["label"]
        if isinstance(message, dict) and message.get("classification"):
            judged.setdefault(place, message["classification"])
    last = {place: [*entry.values()][-1] for place, entry in words.items() if entry}
    was = {place: judged.get(place) or _JUDGED_OTHERWISE[label] for place, label in last.items()}
    return Misjudged(
        labels=len(last),
        missed=sum(label == "actionable" != was[place] for place, label in last.items()),
        false_alarms=sum(was[place] == "actionable" != label for place, label in last.items()),
    )


def _message_key(message: dict[str, Any]) -> tuple[Any, Any]:
    return message.get("chat_id"), message.get("message_id")
