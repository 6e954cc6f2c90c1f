"""Training labels of a team: parsing, held-out split, and scores of a weight table.

The fitting itself is in `adapters/sklearn_fit`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from bot.models.classification import Class
from bot.models.label import WITHDRAWN
from bot.models.line_message import LineMessage, parse_line_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CLASSES: tuple[Class, ...] = get_args(Class)
ONE_IN = 4
"""Inverse share of the labels that are held out."""


class TrainingLabel(NamedTuple):
    """Label that a person gave a message."""

    message: LineMessage
    label: Class
    by: str


class Withdrawal(NamedTuple):
    """Withdrawal of a person's label."""

    message: LineMessage
    by: str


class Score(NamedTuple):
    """Precision and recall of one class; `None` without any message to measure."""

    precision: float | None
    """Share of correct messages among those predicted as the class."""
    recall: float | None
    """Share of the class's messages that were predicted as such."""
    labels: int
    """Number of messages of the class."""


def read_label(record: Any) -> TrainingLabel | Withdrawal:
    """Parse a line of `labels.ndjson`: `{"message": …, "label": …, "by": …}`.

    The message is a text, a record of a journal or Slack's own event; its fields may also be next to the label. The
    label `withdrawn` removes the same person's label. Raises `ValueError` with the expected form.
    """
    if not isinstance(record, dict):
        raise ValueError("expected a JSON object with message, label and by")
    label, by = record.get("label"), record.get("by", "")
    if label != WITHDRAWN and label not in CLASSES:
        raise ValueError(f"label: expected one of {', '.join(CLASSES)}")
    if not isinstance(by, str):
        raise ValueError("by: expected a Slack user id")
    message = record.get("message", record)
    if isinstance(message, str):
        message = {"text": message}
    if not isinstance(message, dict):
        raise ValueError("message: expected a text or an event")
    line_message = parse_line_message(message)
    if line_message is None:
        raise ValueError("message: expected a new message, not another event")
    return Withdrawal(line_message, by) if label == WITHDRAWN else TrainingLabel(line_message, cast("Class", label), by)


def newest_labels(labels: Iterable[TrainingLabel | Withdrawal]) -> list[TrainingLabel]:
    """Return one label per message, the latest that was not withdrawn.

    The same text in another place is another message; a message with a place is the same even after an edit.
    """
    words: dict[tuple[str, str, str], dict[str, TrainingLabel]] = {}
    for label in labels:
        message = label.message
        place = (message.channel, message.ts, "" if message.channel and message.ts else message.text)
        standing = words.setdefault(place, {})
        standing.pop(label.by, None)
        if isinstance(label, TrainingLabel):
            standing[label.by] = label
    return [next(reversed(standing.values())) for standing in words.values() if standing]


def is_held_back(label: TrainingLabel) -> bool:
    """Return whether a label is held out for measuring. Only the text decides, so the split is stable and texts
    never overlap."""
    text = " ".join(label.message.text.lower().split())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] % ONE_IN == 0


def scores(truth: Sequence[Class], predicted: Sequence[Class]) -> dict[Class, Score]:
    """Return precision and recall of each class."""
    results: dict[Class, Score] = {}
    for name in CLASSES:
        hits = sum(a == b == name for a, b in zip(truth, predicted, strict=True))
        actual, claimed = truth.count(name), predicted.count(name)
        results[name] = Score(hits / claimed if claimed else None, hits / actual if actual else None, actual)
    return results


def agreement(truth: Sequence[Class], predicted: Sequence[Class]) -> float:
    """Return the share of correctly predicted messages."""
    return sum(a == b for a, b in zip(truth, predicted, strict=True)) / len(truth)
