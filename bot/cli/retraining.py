"""What `triage retrain` asks of the classifier: the features of a message, and its class by given weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bot.decide.classify.features import names
from bot.decide.classify.weights import around, weigh
from bot.models.line_message import Placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.cli.offline_classification import OfflineClassifier
    from bot.models.classification import Class
    from bot.models.context import MessageContext
    from bot.models.line_message import LineMessage
    from bot.models.weights import WeightTable


class TrainingRow(NamedTuple):
    """A message as training sees it."""

    features: dict[str, float]
    """What is true of it, each with 1.0."""
    mask: int
    context: MessageContext


def row(rules: OfflineClassifier, said: LineMessage) -> TrainingRow:
    """The next message; hand them in the order in which they were said."""
    placed = Placed(said)
    context = rules.context_of(said, placed)
    mask, _ = rules.rules.shown(said.rules_text, context)
    fired = names(mask | around(context))
    rules.learn(placed, rules.rules.weights.settle(mask, context))
    return TrainingRow(dict.fromkeys(fired, 1.0), mask, context)


def judged(table: WeightTable, rows: Sequence[TrainingRow]) -> list[Class]:
    """The class of each message by these weights."""
    weights = weigh(table)
    return [weights.settle(row.mask, row.context).classification for row in rows]
