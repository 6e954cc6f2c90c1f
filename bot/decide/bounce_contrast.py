"""Contrasts of a bounce: *the server and not the client* means one thing by what it is not. Pure."""

from __future__ import annotations

import re

from bot.decide.bounce_places import without_names
from bot.decide.bounce_terms import is_empty_word
from bot.decide.bounce_words import VALUE_WORDS
from bot.decide.vocabulary import EVERYDAY, STOP, WEAK

_AFTER = re.compile(
    r"(?:\b(?:not|no|nicht|pas|não|bukan|instead of|rather than|statt|au lieu de|en vez de|em vez de)"
    r"(?:\s+(?:in|im|en|dans|em|no|na|about|for|from|über|sur|sobre))?"
    r"\s+(?:the|an?|that|der|die|das|den|dem|des|le|la|les|el|los|las|de|del|du|o|a|os|as|do|da)\b|\b(?:bukan|نه)\b)"
    r"(?P<thing>[^,.;:!?]*)|(?P<before>[^\W\d_]+?)(?:では|じゃ)な",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")


def contrasted(clause: str) -> list[str]:
    """The words of the thing that a clause sets aside, in lower case; everyday words are none."""
    found = [match["thing"] or match["before"] or "" for match in _AFTER.finditer(without_names(clause))]
    words = [word.lower() for text in found for word in _WORD.findall(text)]
    return [word for word in words if not (is_empty_word(word) or word in STOP | WEAK | EVERYDAY | VALUE_WORDS)]
