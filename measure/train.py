"""Make the weights of tier 0 from labelled messages: `make train`. scikit-learn serves here alone, never at run time.

Two logistic regressions (actionable or not, ack or not) over the features of `bot/decide/classify/features.py`.
Thresholds are chosen by leaving each source out of the training data in turn, and for the table that is printed the
same is done inside what is left when one source is held back: no figure comes from a source that anything was chosen
on. Run twice on the same data it writes the same file.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy
from sklearn.linear_model import LogisticRegression

from bot.adapters.sklearn_fit import line
from bot.decide.classify import language_packs
from bot.decide.classify.feature_extractor import FeatureExtractor
from bot.decide.classify.features import AROUND, DERIVED, TEXT, feature_names
from bot.decide.classify.help_channel_features import IN_HELP
from bot.decide.classify.text import clean_text
from bot.decide.classify.weights import Weights, build_weights, context_mask, load_packaged_weights
from bot.models.weights import WeightTable
from measure import labelled, openings, wording
from measure.scores import Score, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

PATH = labelled.ROOT / "bot" / "decide" / "classify" / "weights.json"
ASSUMED = {
    "named": 0.0,  # it counts as asked_of_another alone
    "asked_of_another": -1.5,
    "problem_told": 1.0,
    "poll": -1.5,
    "tentative_answer": -2.0,
    "own_thread": 0.5,
    "comes_back": 1.2,
    "still_so": 0.4,
    "served": -2.0,
    "bare_answer": 0.0,  # it is told by a rule
    "asked_nothing": -0.5,  # it takes back own_thread
    "by_team": -3.0,
    "opens": 0.0,  # it counts with what is asked
    "asks_first": 0.4,
    "error_line": 3.0,  # a program's own words: no line that people wrote for training has them
    "contrast": 0.0,  # it counts against thanks_alone
    "plain_opening": 0.0,  # it counts as asks_unmarked alone
    "asks_unmarked": 2.0,
    "failure": 0.0,  # it counts as failure_shown
    "failure_shown": 2.0,
    "question_ending": 0.3,  # those who answer in Japanese end in it as well
    "symptom": 0.0,  # it counts as reported_first
    "known_tongue": 0.0,  # it counts as unknown_tongue
    "help_channel": 0.0,  # it counts as asks_for_help, of which measure/openings.py tells
    "reported_first": 2.0,
    "unknown_tongue": 0.6,
    "joke": -1.5,
    "invitation": -1.5,
    "announcement": -1.0,
    "rhetorical": -1.5,
}
"""Weights of features that the labelled messages hardly show, since those come without threads and teams. Set by hand,
for *actionable* alone; a team's own corrections move them later."""
FEATURES = [name for name in (*TEXT, *AROUND, *DERIVED) if name not in {*ASSUMED, *IN_HELP}]
STRENGTH = 0.3
"""Inverse strength of regularisation; scikit-learn's `C`."""
THRESHOLDS = [round(0.45 + 0.02 * step, 2) for step in range(7)]
SLACK = 0.02
"""The threshold is the highest whose F1 in the folds is no further than this below the best: one standard error of an
F1 over so many messages, and a higher threshold raises fewer false alarms."""
ACK_THRESHOLDS = [round(0.3 + 0.05 * step, 2) for step in range(11)]


@dataclass(frozen=True)
class Examples:
    """Messages as arrays, a row each."""

    found: NDArray[numpy.float64]
    actionable: NDArray[numpy.bool_]
    ack: NDArray[numpy.bool_]
    source: NDArray[numpy.str_]
    share: NDArray[numpy.float64]
    """What each row counts in a fit."""
    assumed: NDArray[numpy.float64]
    """The sum of each row's weights that are set by hand."""

    def part(self, keep: NDArray[numpy.bool_]) -> Examples:
        """Some of the rows."""
        return Examples(
            found=self.found[keep],
            actionable=self.actionable[keep],
            ack=self.ack[keep],
            source=self.source[keep],
            share=self.share[keep],
            assumed=self.assumed[keep],
        )


@dataclass(frozen=True)
class Choice:
    """What is chosen before the last fit."""

    strength: float
    actionable: float
    ack: float


def examples(rows: list[labelled.Labelled]) -> Examples:
    """The features and labels of these messages."""
    reader = FeatureExtractor(language_packs.load())
    masks = [reader.extract(clean_text(row.text)) | context_mask(row.context) for row in rows]
    fired = [frozenset(feature_names(mask)) for mask in masks]
    return Examples(
        found=numpy.array([[name in row for name in FEATURES] for row in fired], dtype=float),
        actionable=numpy.array([row.label == "actionable" for row in rows]),
        ack=numpy.array([row.label == "ack" for row in rows]),
        source=numpy.array([row.source for row in rows]),
        share=numpy.array([row.share for row in rows]),
        assumed=numpy.array([sum(ASSUMED.get(name, 0.0) for name in row) for row in fired]),
    )


def fitted(data: Examples, said: NDArray[numpy.bool_], strength: float) -> LogisticRegression:
    """A regression; the solver starts at zero and takes no chances, so it always ends at the same place."""
    return LogisticRegression(C=strength, max_iter=5_000, tol=1e-8).fit(data.found, said, sample_weight=data.share)


def held_out(data: Examples, said: NDArray[numpy.bool_], strength: float) -> NDArray[numpy.float64]:
    """The probability of each message by a regression that saw no message of its source."""
    chances = numpy.zeros(len(said))
    for source in sorted(set(data.source)):
        inside = data.source == source
        model = fitted(data.part(~inside), said[~inside], strength)
        chances[inside] = model.decision_function(data.found[inside])
    return 1 / (1 + numpy.exp(-chances - (data.assumed if said is data.actionable else 0)))


def chosen(data: Examples) -> Choice:
    """Thresholds that do well on sources left out: of *actionable* the highest of them, of *ack* the best."""
    chances = held_out(data, data.actionable, STRENGTH)
    acks = held_out(data, data.ack, STRENGTH)
    near = _f1_near(chances, data.actionable, THRESHOLDS)
    good = [threshold for threshold, f1 in near.items() if f1 >= max(near.values()) - SLACK]
    ranked = _f1_near(acks, data.ack, ACK_THRESHOLDS)
    return Choice(strength=STRENGTH, actionable=max(good), ack=max(ranked, key=lambda threshold: ranked[threshold]))


def _f1_near(
    chances: NDArray[numpy.float64], said: NDArray[numpy.bool_], thresholds: list[float]
) -> dict[float, float]:
    """The F1 by threshold, without the first and the last: the mean with its neighbours, as one owes much to chance."""
    scores = [Score.from_messages(chances >= threshold, said).f1 for threshold in thresholds]
    inner = range(1, len(scores) - 1)
    return {thresholds[place]: round(sum(scores[place - 1 : place + 2]) / 3, 6) for place in inner}


def train(data: Examples, choice: Choice) -> WeightTable:
    """The weights of all these messages."""
    told = f"{len(data.source)} messages of {len(set(data.source))} sources, regularisation {choice.strength}"
    actionable, ack = (
        line(fitted(data, labels, choice.strength), FEATURES, threshold=threshold, digits=3)
        for labels, threshold in ((data.actionable, choice.actionable), (data.ack, choice.ack))
    )
    actionable = actionable.evolve(weights={**actionable.weights, **ASSUMED})
    return WeightTable(made_by=f"make train: {told}", actionable=actionable, ack=ack)


def judged(rows: list[labelled.Labelled], weights: Weights) -> list[str]:
    """What the product says of these messages with these weights."""
    reader = FeatureExtractor(language_packs.load())
    return [weights.classify(reader.extract(clean_text(row.text)), row.context).classification for row in rows]


def left_out(rows: list[labelled.Labelled], data: Examples) -> list[str]:
    """The product's answer for each message, by weights that were made without its source."""
    answers = [""] * len(rows)
    for source in sorted(set(data.source)):
        inside = data.source == source
        rest = data.part(~inside)
        weights = build_weights(train(rest, chosen(rest)))
        places = [place for place, hit in enumerate(inside) if hit]
        for place, answer in zip(places, judged([rows[place] for place in places], weights), strict=True):
            answers[place] = answer
    return answers


def _part(
    rows: list[labelled.Labelled], answers: list[str], inside: list[bool]
) -> tuple[list[labelled.Labelled], list[str]]:
    kept = [place for place, hit in enumerate(inside) if hit]
    return [rows[place] for place in kept], [answers[place] for place in kept]


def main() -> int:
    """Measure, then write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print the table, write nothing")
    options = parser.parse_args()
    if problem := labelled.missing(labelled.LABELLED) or labelled.no_channels():
        print(f"only what counts more in a channel for help is learnt: {problem}")  # noqa: T201  # the output
        return _write(load_packaged_weights(), dry_run=options.dry_run)
    rows = labelled.labelled()
    data = examples(rows)
    answers = left_out(rows, data)
    for view in labelled.VIEWS:
        for english in (False, True) if view == labelled.TEXT else (True,):
            inside = [row.view == view and (row.lang == "en" or not english) for row in rows]
            if any(inside):
                print(f"\n{view}{', English' if english else ''}\n{table(*_part(rows, answers, inside))}")  # noqa: T201  # the output
    choice = chosen(data)
    print(f"chosen on all sources: {choice}")  # noqa: T201  # the output
    return _write(train(data, choice), dry_run=options.dry_run)


def _write(learnt: WeightTable, *, dry_run: bool) -> int:
    """Learn what counts more in a channel for help, say how good that is, and write all of it."""
    started, begun = openings.held_back(learnt.actionable)
    print(f"openings held back in turn: {started:.1%} start work, of the others {begun:.1%}")  # noqa: T201  # the output
    if not dry_run:
        given = openings.rows()
        wording.write(given)
        learnt = learnt.evolve(help=openings.bias(given, learnt.actionable))
        PATH.write_text(f"{learnt.model_dump_json(indent=2)}\n")
        print(f"written: {PATH.relative_to(labelled.ROOT)}, {wording.PATH.relative_to(labelled.ROOT)}")  # noqa: T201  # the output
    return 0


if __name__ == "__main__":
    sys.exit(main())
