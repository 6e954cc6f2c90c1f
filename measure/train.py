"""Make the weights of tier 0 from labelled messages: `make train`. scikit-learn serves here alone, never at run time.

Two logistic regressions (actionable or not, ack or not) over the features of `bot/decide/features.py`. Regularisation
and thresholds are chosen by leaving each source out of the training data in turn, and for the table that is printed
the same is done inside what is left when one source is held back: no figure comes from a source that anything was
chosen on. Run twice on the same data it writes the same file.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import labelled
import numpy
from scores import Score, table
from sklearn.linear_model import LogisticRegression

from bot.decide import packs
from bot.decide.features import BIT, DERIVED, TEXT, names
from bot.decide.prose import prose
from bot.decide.reader import Reader
from bot.decide.weights import Weights, weigh
from bot.edges.fitting import line
from bot.models.weights import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

PATH = labelled.ROOT / "bot" / "decide" / "weights.json"
ASSUMED = {
    "named": 0.0,  # it counts as asked_of_another alone
    "asked_of_another": -1.5,
    "problem_told": 1.0,
    "poll": -1.5,
    "tentative_answer": -2.0,
    "own_thread": 0.5,
    "comes_back": 1.5,
    "served": -2.0,
    "reply_to_another": -1.0,
    "by_team": -1.5,
    "opens": 0.0,  # it counts with what is asked
    "asks_first": 0.4,
    "contrast": 0.0,  # it counts against thanks_alone
    "plain_opening": 0.0,  # it counts as asks_unmarked alone
    "asks_unmarked": 1.5,
    "failure": 0.0,  # it counts as failure_shown
    "failure_shown": 2.0,
}
"""Weights of features that the labelled messages hardly show, since those come without threads and teams. Set by hand,
for *actionable* alone; a team's own corrections move them later."""
FEATURES = [name for name in (*TEXT, "asker_wrote_before", *DERIVED) if name not in ASSUMED]
STRENGTHS = (0.03, 0.1, 0.3, 1.0)
"""Inverse strengths of regularisation to choose from; scikit-learn's `C`."""
THRESHOLDS = [round(0.3 + 0.02 * step, 2) for step in range(26)]
MOST_FALSE_ALARMS = 6.0
"""Per 100 messages that are not actionable: the threshold is the best by F1 that stays below, in the folds."""
ACK_THRESHOLDS = [round(0.3 + 0.05 * step, 2) for step in range(11)]


@dataclass(frozen=True)
class Examples:
    """Messages as arrays, a row each."""

    found: NDArray[numpy.float64]
    actionable: NDArray[numpy.bool_]
    ack: NDArray[numpy.bool_]
    source: NDArray[numpy.str_]

    def part(self, keep: NDArray[numpy.bool_]) -> Examples:
        """Some of the rows."""
        return Examples(self.found[keep], self.actionable[keep], self.ack[keep], self.source[keep])


@dataclass(frozen=True)
class Choice:
    """What is chosen before the last fit."""

    strength: float
    actionable: float
    ack: float


def examples(rows: list[labelled.Labelled]) -> Examples:
    """The features and labels of these messages."""
    reader = Reader(packs.load())
    masks = [reader.read(prose(row.text)) | row.context.asker_wrote_before * BIT["asker_wrote_before"] for row in rows]
    fired = [frozenset(names(mask)) for mask in masks]
    return Examples(
        found=numpy.array([[name in row for name in FEATURES] for row in fired], dtype=float),
        actionable=numpy.array([row.label == "actionable" for row in rows]),
        ack=numpy.array([row.label == "ack" for row in rows]),
        source=numpy.array([row.source for row in rows]),
    )


def fitted(found: NDArray[numpy.float64], said: NDArray[numpy.bool_], strength: float) -> LogisticRegression:
    """A regression; the solver starts at zero and takes no chances, so it always ends at the same place."""
    return LogisticRegression(C=strength, max_iter=5_000, tol=1e-8).fit(found, said)


def held_out(data: Examples, said: NDArray[numpy.bool_], strength: float) -> NDArray[numpy.float64]:
    """The probability of each message by a regression that saw no message of its source."""
    chances = numpy.zeros(len(said))
    for source in sorted(set(data.source)):
        inside = data.source == source
        model = fitted(data.found[~inside], said[~inside], strength)
        chances[inside] = model.predict_proba(data.found[inside])[:, 1]
    return chances


def chosen(data: Examples) -> Choice:
    """Regularisation and thresholds that do best on sources left out, with few enough false alarms."""
    best: tuple[float, float, float] = (-1.0, STRENGTHS[0], 0.5)
    for strength in STRENGTHS:
        chances = held_out(data, data.actionable, strength)
        for threshold in THRESHOLDS:
            score = Score.of(chances >= threshold, data.actionable)
            if score.false_alarms <= MOST_FALSE_ALARMS and score.f1 > best[0] + 1e-9:
                best = (score.f1, strength, threshold)
    acks = held_out(data, data.ack, best[1])
    ranked = [(round(Score.of(acks >= threshold, data.ack).f1, 6), threshold) for threshold in ACK_THRESHOLDS]
    return Choice(strength=best[1], actionable=best[2], ack=max(ranked)[1])


def made(data: Examples, choice: Choice) -> Table:
    """The weights of all these messages."""
    told = f"{len(data.source)} messages of {len(set(data.source))} sources, regularisation {choice.strength}"
    actionable, ack = (
        line(fitted(data.found, labels, choice.strength), FEATURES, threshold=threshold, digits=3)
        for labels, threshold in ((data.actionable, choice.actionable), (data.ack, choice.ack))
    )
    actionable = actionable.evolve(weights={**actionable.weights, **ASSUMED})
    return Table(made_by=f"make train: {told}", actionable=actionable, ack=ack)


def judged(rows: list[labelled.Labelled], weights: Weights) -> list[str]:
    """What the product says of these messages with these weights."""
    reader = Reader(packs.load())
    return [weights.settle(reader.read(prose(row.text)), row.context).classification for row in rows]


def left_out(rows: list[labelled.Labelled], data: Examples) -> list[str]:
    """The product's answer for each message, by weights that were made without its source."""
    answers = [""] * len(rows)
    for source in sorted(set(data.source)):
        inside = data.source == source
        rest = data.part(~inside)
        weights = weigh(made(rest, chosen(rest)))
        places = [place for place, hit in enumerate(inside) if hit]
        for place, answer in zip(places, judged([rows[place] for place in places], weights), strict=True):
            answers[place] = answer
    return answers


def main() -> int:
    """Measure, then write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print the table, write nothing")
    options = parser.parse_args()
    if problem := labelled.missing(labelled.LABELLED):
        print(f"no weights were made: {problem}")  # noqa: T201  # the output
        return 2
    rows = labelled.labelled()
    data = examples(rows)
    print(table(rows, left_out(rows, data)))  # noqa: T201  # the output
    choice = chosen(data)
    print(f"chosen on all sources: {choice}")  # noqa: T201  # the output
    if not options.dry_run:
        PATH.write_text(f"{made(data, choice).model_dump_json(indent=2)}\n")
        print(f"written: {PATH.relative_to(labelled.ROOT)}")  # noqa: T201  # the output
    return 0


if __name__ == "__main__":
    sys.exit(main())
