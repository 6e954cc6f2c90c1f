"""Fit of weights to labelled messages with scikit-learn, which only training needs.

A team has a few dozen labels, and the initial table was learned from many more. So the table is the starting point:
each feature in the labels is added as a synthetic message with that feature alone, classified as before. A feature that
is not in the labels keeps its weight.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bot.errors import Misconfigured
from bot.models.weights import Regression

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ANCHOR = 20.0
"""Number of labels that one synthetic message counts for."""
STRENGTH = 10_000.0
"""`C` of the regression: hardly any regularisation, since the synthetic messages hold the weights."""


def fit(
    rows: Sequence[Mapping[str, float]],
    hits: Sequence[bool],
    *,
    start: Regression,
) -> Regression:
    """Fit a regression that separates the `hits` among `rows` (features with their values), starting from `start`.

    The threshold is kept. Raises `Misconfigured` if scikit-learn is not installed.
    """
    vectorizer, regression = _tools()
    anchors = _anchors(start, sorted({name for row in rows for name in row}))
    examples = [dict(row) for row in rows] + [row for row, _, _ in anchors]
    answers = [int(hit) for hit in hits] + [answer for _, answer, _ in anchors]
    weights = [*([1.0] * len(rows)), *(weight for _, _, weight in anchors)]
    regression.fit(vectorizer.fit_transform(examples), answers, sample_weight=weights)
    fitted = line(regression, map(str, vectorizer.get_feature_names_out()), threshold=start.threshold)
    carried_over = {name: weight for name, weight in start.weights.items() if not any(name in row for row in rows)}
    return fitted.evolve(weights=dict(sorted({**carried_over, **fitted.weights}.items())))


def line(regression: Any, features: Iterable[str], *, threshold: float, digits: int = 4) -> Regression:
    """Convert a fitted regression over these features, without the weights that round to zero."""
    counts = {name: round(float(weight), digits) for name, weight in zip(features, regression.coef_[0], strict=True)}
    return Regression(
        intercept=round(float(regression.intercept_[0]), digits),
        threshold=threshold,
        weights={name: weight for name, weight in counts.items() if weight},
    )


def _anchors(start: Regression, features: Sequence[str]) -> list[tuple[dict[str, float], int, float]]:
    """Build a message for each feature and one without any, each as a hit and as a miss, weighted by `start`."""
    anchors = []
    for row in ({}, *({name: 1.0} for name in features)):
        score = start.intercept + sum(start.weights.get(name, 0.0) for name in row)
        chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
        anchors += [(row, 1, ANCHOR * chance), (row, 0, ANCHOR * (1 - chance))]
    return anchors


def _tools() -> tuple[Any, Any]:
    try:
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise Misconfigured("training needs scikit-learn: pip install 'scikit-learn>=1.5'") from None
    return DictVectorizer(sparse=False), LogisticRegression(C=STRENGTH, max_iter=5_000)
