"""Contrasts in a bounce's feedback: *the server and not the client*. Pure."""

from __future__ import annotations

import re

from bot.decide.bounce.file_kinds import without_names
from bot.decide.bounce.terms import is_empty_word
from bot.decide.bounce.words import PARTS, REFUSED, SUBJECT, VALUE_WORDS
from bot.decide.retrieval.stopwords import EVERYDAY, STOP, WEAK

_AFTER = re.compile(
    r"(?:\b(?:not|no|nicht|pas|não|bukan|instead of|rather than|statt|au lieu de|en vez de|em vez de)"
    r"(?:\s+(?:in|im|en|dans|em|no|na|about|for|from|über|sur|sobre))?"
    r"\s+(?:the|an?|that|der|die|das|den|dem|des|le|la|les|el|los|las|de|del|du|o|a|os|as|do|da)\b|\b(?:bukan|نه)\b)"
    r"(?P<thing>[^,.;:!?]*)|(?P<before>[^\W\d_]{1,60}?)(?:では|じゃ)な",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")


def find_irrelevant(clause: str) -> list[str]:
    """Return the words of the thing that a clause calls irrelevant, in lower case: *the web stuff is off topic*."""
    if not re.search(REFUSED, clause, re.IGNORECASE):
        return []
    match = re.match(SUBJECT, clause, re.IGNORECASE)
    return [word for word in _informative_words(match["thing"]) if word not in PARTS] if match else []


def find_contrasted(clause: str) -> list[str]:
    """Return the words of the thing that a clause excludes, in lower case, without everyday words."""
    things = [match["thing"] or match["before"] or "" for match in _AFTER.finditer(without_names(clause))]
    return [word for text in things for word in _informative_words(text)]


def _informative_words(text: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(text)]
    return [word for word in words if not (is_empty_word(word) or word in STOP | WEAK | EVERYDAY | VALUE_WORDS)]
