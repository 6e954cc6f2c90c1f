"""Wording of a first message: a score of its words, high for requests for help and low for everything else.

Words and pairs of neighbours count with their weights in `opening_words.json`, which `make train` learns from synthetic
lines. It is used in help channels only.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from importlib import resources
from itertools import pairwise, repeat
from typing import TYPE_CHECKING

from bot.decide.classify.features import BIT

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVELS = {
    "worded_as_opening": 0.3, "worded_much_as_opening": 1.0,
    "worded_as_talk": -0.3, "worded_much_as_talk": -1.0,
}  # fmt: skip
"""Score threshold of each feature, an upper or a lower bound by its sign."""
_TOKENS = re.compile(r"[\x01-\x04?!\uff1f\uff01\u3002\U0001f300-\U0001faff]|\d+|[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
"""Tokens: words, numbers, punctuation, emoji and the placeholders of `decide/classify/text`."""
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_BEGIN, _END, _NUMBER = "^", "$", "0"


class OpeningWords:
    """Weights of words and word pairs: positive for requests for help, negative for everything else."""

    def __init__(self, weights: Mapping[str, float], intercept: float = 0.0) -> None:
        self._weights = weights
        self._intercept = intercept

    def score(self, text: str) -> float:
        """Return the sum of the weights of the words and pairs of a cleaned text."""
        return self._intercept + sum(map(self._weights.get, extract_terms(text), repeat(0.0)))

    def levels(self, text: str) -> int:
        """Return the mask of the features that a text's score reaches."""
        return levels(self.score(text))


def extract_terms(text: str) -> set[str]:
    """Return the words of a text and their adjacent pairs; without spaces, each two letters are a word."""
    words = [_BEGIN]
    for token in _TOKENS.findall(text):
        if token.isdecimal():
            words.append(_NUMBER)
        elif _UNSPACED.match(token):
            words += [token[at : at + 2] for at in range(len(token) - 1)]
        else:
            words.append(token.replace("\u2019", "'"))
    words.append(_END)
    return {*words[1:-1], *map(" ".join, pairwise(words))}


def levels(score: float) -> int:
    """Return the mask of the features that a score reaches."""
    mask = 0
    for name, limit in LEVELS.items():
        if score > limit if limit > 0 else score < limit:
            mask |= BIT[name]
    return mask


@cache
def load_opening_words() -> OpeningWords:
    """Load the packaged weights."""
    data = json.loads(_read_learnt_words())
    return OpeningWords(data["weights"], data["intercept"])


@cache
def digest() -> str:
    """Return the SHA-256 of the packaged weights, in hex: part of `classifier_version`."""
    return hashlib.sha256(_read_learnt_words()).hexdigest()


def _read_learnt_words() -> bytes:
    return (resources.files("bot.decide.classify") / "opening_words.json").read_bytes()
