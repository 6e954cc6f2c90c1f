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

from bot.decide.classify import language_packs
from bot.decide.classify.feature_extractor import FeatureExtractor
from bot.decide.classify.features import AROUND, MASKS, feature_names
from bot.decide.classify.opening_words import LEVELS, OpeningWords, levels
from bot.decide.classify.text import clean_text
from bot.decide.classify.weights import context_mask
from bot.models.context import MessageContext
from bot.models.markup import plain_text, without_places
from measure import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models.weights import Regression

    Row = tuple[str, bool]

PATH = Path(__file__).with_suffix(".jsonl")
BEGINS = MessageContext(opens=True, is_away=True, for_help=True)
PULL = 1.0
"""How strongly each weight is held at what `make train` found."""
OPENINGS = 0.56
"""What all openings count together; all that is none counts the rest."""
WORDED = MASKS.mask_of(*LEVELS)
STEPS = 30


def rows() -> list[Row]:
    """Each text, and whether it is an opening."""
    lines = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
    return [(plain_text(without_places(line["text"])), line["label"] == "opening") for line in lines]


def shown(given: Sequence[Row], scores: Sequence[float]) -> list[tuple[str, ...]]:
    """The features of each; those of its wording by a score that it did not teach."""
    reader = FeatureExtractor(language_packs.load())
    masks = [reader.extract(clean_text(text), for_help=True) & ~WORDED for text, _ in given]
    return [
        feature_names(mask | levels(score) | context_mask(BEGINS)) for mask, score in zip(masks, scores, strict=True)
    ]


def bias(given: Sequence[Row], base: Regression) -> dict[str, float]:
    """What each feature counts more in a channel for help; `asks_for_help` stands for what all of them share."""
    fired = shown(given, wording.scores(given))
    said = numpy.array([opens for _, opens in given], dtype=float)
    features = sorted({name for row in fired for name in row} - {*AROUND})
    found = numpy.array([[name in row for name in features] for row in fired], dtype=float)
    limit = math.log(base.threshold / (1 - base.threshold))
    start = numpy.array([base.intercept - limit + sum(base.weights.get(name, 0.0) for name in row) for row in fired])
    share = numpy.where(said > 0, OPENINGS / said.mean(), (1 - OPENINGS) / (1 - said.mean()))
    pull = numpy.array([0.0 if name == "asks_for_help" else PULL for name in features])
    more = _fitted(found, said, start, share, pull)
    told = {name: round(float(weight), 3) for name, weight in zip(features, more, strict=True) if abs(weight) >= 0.001}
    return dict(sorted(told.items()))


def held_back(base: Regression) -> tuple[float, float]:
    """The share of openings and of others that start work, each part judged by what the other parts taught."""
    given = rows()
    started: dict[bool, list[bool]] = {True: [], False: []}
    for rest, tested in wording.parted(given):
        more = bias(rest, base)
        known = OpeningWords(*wording.learnt(rest))
        fired = shown(tested, [known.score(clean_text(text)) for text, _ in tested])
        for (_, opens), row in zip(tested, fired, strict=True):
            score = base.intercept + sum(base.weights.get(name, 0.0) + more.get(name, 0.0) for name in row)
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
