"""News in a message that also asks: it counts only where it stands in a sentence that does not ask.

`decide/classify/feature_extractor` calls it for the few texts that show both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.classify.features import BIT

if TYPE_CHECKING:
    from collections.abc import Callable

NEWS = sum(BIT[name] for name in ("announcement", "news", "news_first", "closed", "own_status", "ahead"))
"""What tells rather than asks."""
_MARKS = BIT["question_at_end"] | BIT["question_inside"]
_ASKS = _MARKS | BIT["question_phrase"] | BIT["plain_opening"]
_REQUESTED = BIT["request"] | BIT["question_opening"]
_SENTENCES = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])|\n")
MOST = 20
"""Sentences that are looked at."""


def asks(mask: int) -> bool:
    """Return whether a mask asks in so many words: "can somebody look" does, "please look" may belong to news."""
    return bool(mask & _ASKS) or mask & _REQUESTED == _REQUESTED


def told_apart(mask: int, said: str, read: Callable[[str], int]) -> int:
    """The mask without news that stands only in sentences that ask: "will the maintenance stop our job?" """
    told, sentences = 0, [each for each in _SENTENCES.split(said) if each][:MOST]
    for number, sentence in enumerate(sentences if len(sentences) > 1 else [], 1):
        shown = read(sentence)
        answered = number < len(sentences) and not shown & BIT["request"]  # "heads up: what happens today? We move"
        told |= 0 if asks(shown) and not answered else shown
    kept = told | (0 if mask & _MARKS else BIT["closed"])  # "works now, no idea what changed"
    return mask & (kept | ~NEWS)
