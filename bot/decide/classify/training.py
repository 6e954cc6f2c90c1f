"""A team's own labels: read, some held back, and what a table of weights is worth on those held back.

`triage retrain` calls it; the fitting itself is in `adapters/sklearn_fit`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from bot.models.classification import Class
from bot.models.label import WITHDRAWN
from bot.models.line_message import LineMessage, said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CLASSES: tuple[Class, ...] = get_args(Class)
ONE_IN = 4
"""The part of the labels that is held back."""


class TrainingLabel(NamedTuple):
    """A person's word on a message."""

    said: LineMessage
    label: Class
    by: str


class Withdrawal(NamedTuple):
    """A person takes back what they said of a message."""

    said: LineMessage
    by: str


class Score(NamedTuple):
    """How well one class is told; `None` where nothing was there to tell."""

    precision: float | None
    """Of those that were said to be of the class, the share that is."""
    recall: float | None
    """Of those that are of the class, the share that was said to be."""
    labels: int
    """How many are of the class."""


def read_label(record: Any) -> TrainingLabel | Withdrawal:
    """The label in a line of `labels.ndjson`: `{"message": …, "label": …, "by": …}`.

    The message is a text, a record of a journal or Slack's own event; its fields may also stand beside the label.
    The label `withdrawn` takes back what the same person said. Raises `ValueError` with what was expected.
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
    found = said(message)
    if found is None:
        raise ValueError("message: expected a new message, not another event")
    return Withdrawal(found, by) if label == WITHDRAWN else TrainingLabel(found, cast("Class", label), by)


def newest(labels: Iterable[TrainingLabel | Withdrawal]) -> list[TrainingLabel]:
    """Each message once, with the word that was said of it last and not taken back.

    The same text in another place is another message; one with a place is the same whatever it says now.
    """
    words: dict[tuple[str, str, str], dict[str, TrainingLabel]] = {}
    for label in labels:
        said = label.said
        place = (said.channel, said.ts, "" if said.channel and said.ts else said.text)
        standing = words.setdefault(place, {})
        standing.pop(label.by, None)
        if isinstance(label, TrainingLabel):
            standing[label.by] = label
    return [next(reversed(standing.values())) for standing in words.values() if standing]


def is_held_back(label: TrainingLabel) -> bool:
    """Return whether a label is kept for measuring. The text alone decides: the same at each call, never on both
    sides."""
    text = " ".join(label.said.text.lower().split())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] % ONE_IN == 0


def scores(truth: Sequence[Class], told: Sequence[Class]) -> dict[Class, Score]:
    """Precision and recall of each class."""
    found: dict[Class, Score] = {}
    for name in CLASSES:
        hits = sum(a == b == name for a, b in zip(truth, told, strict=True))
        there, claimed = truth.count(name), told.count(name)
        found[name] = Score(hits / claimed if claimed else None, hits / there if there else None, there)
    return found


def agreement(truth: Sequence[Class], told: Sequence[Class]) -> float:
    """The share of messages that were told right."""
    return sum(a == b for a, b in zip(truth, told, strict=True)) / len(truth)
