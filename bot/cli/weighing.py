"""What `triage retrain` asks of the classifier: the features of a message, and its class by a table of weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from bot.models.weights import Line, Table

if TYPE_CHECKING:
    from bot.cli.judging import Judging
    from bot.models.classification import Class
    from bot.models.said import Said

SHORT, LONG = 25, 150

PACKAGED = Table(
    actionable=Line(
        intercept=-1.5,
        threshold=0.5,
        weights={"is_bot_mention": 4, "is_question": 2.5, "mentions_thread_with_inflight": 2.5, "by_bot": -6},
    ),
    ack=Line(intercept=-4, threshold=0.5, weights={"is_ack_or_emoji": 8}),
)
"""The rules as they are, as weights."""


class Row(NamedTuple):
    """A message as training sees it."""

    features: dict[str, float]
    """What is true of it, each with 1.0."""


def row(rules: Judging, said: Said) -> Row:
    """The next message; hand them in the order in which they were said."""
    found = rules.judge(said)
    shown = {
        "is_bot_mention": found.is_bot_mention,
        "is_question": found.is_question,
        "is_ack_or_emoji": found.is_ack_or_emoji,
        "mentions_thread_with_inflight": found.mentions_thread_with_inflight,
        "by_bot": said.by_bot,
        "is_reply": said.thread is not None,
        "question_mark": "?" in said.text,
        "short": len(said.text) < SHORT,
        "long": len(said.text) > LONG,
    }
    return Row({name: 1.0 for name, is_shown in shown.items() if is_shown})


def judged(table: Table, row: Row) -> Class:
    """The class of a message by these weights."""
    if _chance(table.ack, row.features) >= table.ack.threshold:
        return "ack"
    return "actionable" if _chance(table.actionable, row.features) >= table.actionable.threshold else "ambient"


def _chance(line: Line, features: dict[str, float]) -> float:
    score = line.intercept + sum(line.weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
