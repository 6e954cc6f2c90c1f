"""What `triage retrain` asks of the classifier: the features of a message, and its class by a table of weights."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from bot.decide import prose
from bot.decide.features import names
from bot.decide.weights import _around, parse
from bot.models.weights import Table

if TYPE_CHECKING:
    from bot.cli.judging import Judging
    from bot.models.classification import Class
    from bot.models.context import Context
    from bot.models.said import Said


def _packaged() -> Table:
    data = json.loads((resources.files("bot.decide") / "weights.json").read_text("utf-8"))
    return Table(actionable=data["actionable"], ack=data["ack"])


PACKAGED = _packaged()


class Row(NamedTuple):
    """A message as training sees it."""

    features: dict[str, float]
    """What is true of it, each with 1.0."""
    mask: int
    context: Context


def row(rules: Judging, said: Said) -> Row:
    """The next message; hand them in the order in which they were said."""
    context = rules.context_of(said)
    mask = rules.rules.reader.read(prose.prose(said.text))
    return Row(dict.fromkeys(names(mask | _around(context)), 1.0), mask, context)


def judged(table: Table, row: Row) -> Class:
    """The class of a message by these weights."""
    return parse(table.model_dump_json()).settle(row.mask, row.context).classification
