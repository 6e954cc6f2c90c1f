"""Weights of words and pairs of words in a channel for help: `bot/decide/classify/opening_words.json`, learnt from the
same lines as `measure/openings.py`.

What a line's own words say of it is learnt from the lines that stand elsewhere in the file: lines on one subject stand
together, one of each label, and a model that had seen one of them would know the other.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from bot.decide.classify.opening_words import OpeningWords, extract_terms
from bot.decide.classify.text import clean_text
from measure import labelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = tuple[str, bool]

PATH = labelled.ROOT / "bot" / "decide" / "classify" / "opening_words.json"
STRENGTH = 0.3
"""Inverse strength of regularisation; scikit-learn's `C`."""
SEEN = 2
"""Lines in which a word or a pair stands at least."""
LEAST = 0.08
"""What it counts at least to be kept: those below change no figure and are half of the file."""
TOGETHER = 12
"""Lines that stay together where a file is cut into parts."""
MEASURED, SCORED = 5, 10
"""Parts that it is cut into, to measure and to score its lines."""


def learnt(rows: Sequence[Row]) -> tuple[dict[str, float], float]:
    """Return the weight of each word and pair, and what all lines share."""
    told = [extract_terms(clean_text(text)) for text, _ in rows]
    count = Counter(term for each in told for term in each)
    place = {term: at for at, term in enumerate(sorted(term for term, lines in count.items() if lines >= SEEN))}
    opens = numpy.array([opens for _, opens in rows])
    model = LogisticRegression(C=STRENGTH, max_iter=5_000, tol=1e-8, class_weight="balanced")
    model.fit(_table(told, place), opens)
    weights = {term: round(float(model.coef_[0][at]), 2) for term, at in place.items()}
    return {term: weight for term, weight in weights.items() if abs(weight) >= LEAST}, round(
        float(model.intercept_[0]), 3
    )


def scores(rows: Sequence[Row]) -> list[float]:
    """Return the score of each line by the words of lines that do not stand near it, in their order."""
    found = dict[str, float]()
    for rest, tested in parted(rows, SCORED):
        known = OpeningWords(*learnt(rest))
        found |= {text: known.score(clean_text(text)) for text, _ in tested}
    return [found[text] for text, _ in rows]


def parted(rows: Sequence[Row], parts: int = MEASURED) -> Iterator[tuple[list[Row], list[Row]]]:
    """Cut lines into parts, and give each with the rest before it."""
    part = [at // TOGETHER % parts for at in range(len(rows))]
    for tested in range(parts):
        each = list(zip(rows, part, strict=True))
        yield [row for row, own in each if own != tested], [row for row, own in each if own == tested]


def write(rows: Sequence[Row]) -> None:
    """Write the weights of all these lines."""
    weights, intercept = learnt(rows)
    kept = {
        "made_by": f"make train: {len(rows)} lines",
        "intercept": intercept,
        "weights": dict(sorted(weights.items())),
    }
    PATH.write_text(f"{json.dumps(kept, ensure_ascii=False, indent=0)}\n", encoding="utf-8")


def _table(told: Sequence[set[str]], place: Mapping[str, int]) -> csr_matrix:
    cells = [(row, place[term]) for row, each in enumerate(told) for term in each if term in place]
    rows, columns = zip(*cells, strict=True)
    return csr_matrix((numpy.ones(len(cells)), (rows, columns)), shape=(len(told), len(place)))
