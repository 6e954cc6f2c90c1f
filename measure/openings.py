"""The bias of a channel for help: what each feature counts more there, learnt from `measure/openings.jsonl`.

Its lines, all of our own making, are what people begin with in such a channel, and what they say there beside it. The
weights of `make train` are the point of departure: a regression adds to them what these lines show, pulled towards
nothing. Half of the lines are held back where it is measured.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from bot.decide import packs
from bot.decide.features import AROUND, names
from bot.decide.prose import prose
from bot.decide.reader import Reader
from bot.decide.weights import around
from bot.models.context import Context
from bot.models.markup import plain_text, without_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models.weights import Line

    Row = tuple[str, bool]

PATH = Path(__file__).with_suffix(".jsonl")
BEGINS = Context(opens=True, is_away=True, for_help=True)
PULL = 1.0
"""How strongly each weight is held at what `make train` found."""
KEPT = 10.0
"""The same for what asks or amuses: our lines hold more idle questions, and merry reports, than a channel does."""
HELD = frozenset({
    "joke", "invitation", "announcement", "exclaims", "merry", "poll",
    "question_at_end", "question_inside", "question_opening", "question_phrase", "question_ending", "whole_question",
    "request", "plain_request", "asks_first", "asks_unmarked", "wish",
})  # fmt: skip
SETTLED = {"asks_plainly": 5.0, "shows_plainly": 5.0, "tells_plainly": 1.5}
"""What a question, a request or a failure counts where nothing speaks against it. It starts work, whatever the other
weights say, so the rest is learnt from the lines that show neither."""
ASKING = HELD - {"joke", "invitation", "announcement", "exclaims", "merry", "poll"}
"""What asks never counts less in a channel for help."""
OTHERS = 3.0
"""What all that is no opening counts together, beside one for all openings: most of these settle themselves."""
FAST = 1e6
"""The pull that holds a weight at nothing."""
STEPS = 30


def rows() -> list[Row]:
    """Each text, and whether it is an opening."""
    lines = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
    return [(plain_text(without_places(line["text"])), line["label"] == "opening") for line in lines]


def shown(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The features of each."""
    reader = Reader(packs.load())
    return [names(reader.read(prose(text), for_help=True) | around(BEGINS)) for text in texts]


def bias(given: Sequence[Row], base: Line) -> dict[str, float]:
    """What each feature counts more in a channel for help; `asks_for_help` stands for what all of them share."""
    each = zip(shown([text for text, _ in given]), given, strict=True)
    left = [(row, opens) for row, (_, opens) in each if SETTLED.keys().isdisjoint(row)]
    fired = [row for row, _ in left]
    said = numpy.array([opens for _, opens in left], dtype=float)
    features = sorted({name for row in fired for name in row} - {*AROUND})
    found = numpy.array([[name in row for name in features] for row in fired], dtype=float)
    limit = math.log(base.threshold / (1 - base.threshold))
    start = numpy.array([base.intercept - limit + sum(base.weights.get(name, 0.0) for name in row) for row in fired])
    share = numpy.where(said > 0, 0.5 / said.mean(), 0.5 * OTHERS / (1 - said.mean()))
    pull = numpy.array([0.0 if name == "asks_for_help" else KEPT if name in HELD else PULL for name in features])
    never_less = numpy.array([name in ASKING for name in features])
    more = _fitted(found, said, start, share, pull)
    while (less := never_less & (more < -1e-4)).any():
        pull = numpy.where(less, FAST, pull)
        more = _fitted(found, said, start, share, pull)
    told = {name: round(float(weight), 3) for name, weight in zip(features, more, strict=True) if abs(weight) >= 0.001}
    return dict(sorted((told | SETTLED).items()))


def held_back(base: Line, parts: int = 5) -> tuple[float, float]:
    """The share of openings and of others that start work, each part judged by what the other parts taught."""
    given = rows()
    started: dict[bool, list[bool]] = {True: [], False: []}
    for part in range(parts):
        more = bias([row for place, row in enumerate(given) if place % parts != part], base)
        tested = given[part::parts]
        for (_, opens), fired in zip(tested, shown([text for text, _ in tested]), strict=True):
            score = base.intercept + sum(base.weights.get(name, 0.0) + more.get(name, 0.0) for name in fired)
            started[opens].append(1 / (1 + math.exp(-score)) >= base.threshold)
    return sum(started[True]) / len(started[True]), sum(started[False]) / len(started[False])


def _fitted(
    found: NDArray[numpy.float64],
    said: NDArray[numpy.float64],
    start: NDArray[numpy.float64],
    share: NDArray[numpy.float64],
    pull: NDArray[numpy.float64],
) -> NDArray[numpy.float64]:
    """The weights of a logistic regression from a sum on, by Newton's steps, shorter where they lead uphill."""

    def loss(more: NDArray[numpy.float64]) -> float:
        score = start + found @ more
        return float(share @ (numpy.logaddexp(0, score) - said * score) + pull @ more**2 / 2)

    more = numpy.zeros(found.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + numpy.exp(-numpy.clip(start + found @ more, -30, 30)))
        slope = found.T @ (share * (said - chance)) - pull * more
        bend = (found * (share * chance * (1 - chance))[:, None]).T @ found + numpy.diag(pull + 1e-3)
        step = numpy.linalg.solve(bend, slope)
        while loss(more + step) > loss(more) + 1e-9:
            step /= 2
        more += step
    return more
