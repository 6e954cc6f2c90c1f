"""Features of a message for `triage retrain`, and predictions with given weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bot.decide.classify.features import feature_names
from bot.decide.classify.weights import build_weights, context_mask
from bot.models.line_message import MessagePosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.classify.stream_classifier import StreamClassifier
    from bot.models.classification import Class
    from bot.models.context import MessageContext
    from bot.models.line_message import LineMessage
    from bot.models.weights import WeightTable


class TrainingRow(NamedTuple):
    """Training row of one message."""

    features: dict[str, float]
    """Features of the message, each with 1.0."""
    mask: int
    context: MessageContext


def build_row(rules: StreamClassifier, message: LineMessage) -> TrainingRow:
    """Build the row of the next message; pass messages in the order in which they were sent."""
    placed = MessagePosition(message)
    context = rules.context_of(message, placed)
    mask, _ = rules.rules.extract_features(message.rules_text, context)
    fired = feature_names(mask | context_mask(context))
    rules.learn(placed, rules.rules.weights.classify(mask, context))
    return TrainingRow(dict.fromkeys(fired, 1.0), mask, context)


def predict_classes(table: WeightTable, rows: Sequence[TrainingRow]) -> list[Class]:
    """Predict the class of each message with these weights."""
    weights = build_weights(table)
    return [weights.classify(row.mask, row.context).classification for row in rows]
