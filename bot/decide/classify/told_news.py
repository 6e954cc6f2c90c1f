"""News in a message that also asks: it counts only in sentences that do not ask."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.classify.features import BIT

if TYPE_CHECKING:
    from collections.abc import Callable

NEWS = sum(BIT[name] for name in ("announcement", "news", "news_first", "closed", "own_status", "ahead"))
"""Features of a statement rather than a question."""
_MARKS = BIT["question_at_end"] | BIT["question_inside"]
_ASKS = _MARKS | BIT["question_phrase"] | BIT["plain_opening"]
_REQUESTED = BIT["request"] | BIT["question_opening"]
_SENTENCES = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])|\n")
MAX_SENTENCES = 20
"""Maximum number of sentences that are read."""


def has_explicit_question(mask: int) -> bool:
    """Return whether a mask contains an explicit question: "can somebody look" does, "please look" may belong to
    news."""
    return bool(mask & _ASKS) or mask & _REQUESTED == _REQUESTED


def drop_news_in_questions(mask: int, text: str, read: Callable[[str], int]) -> int:
    """Remove news that occurs only in sentences that ask: "will the maintenance stop our job?" """
    stated, sentences = 0, [each for each in _SENTENCES.split(text) if each][:MAX_SENTENCES]
    for number, sentence in enumerate(sentences if len(sentences) > 1 else [], 1):
        sentence_mask = read(sentence)
        answered = (
            number < len(sentences) and not sentence_mask & BIT["request"]
        )  # "heads up: what happens today? We move"
        stated |= 0 if has_explicit_question(sentence_mask) and not answered else sentence_mask
    allowed = stated | (0 if mask & _MARKS else BIT["closed"])  # "works now, no idea what changed"
    return mask & (allowed | ~NEWS)
