"""Search words of a bounce: its feedback without function words and words about the draft. Pure."""

from __future__ import annotations

import re

from bot.decide.bounce.words import META, META_UNSPACED, VALUE_WORDS
from bot.decide.retrieval.function_words import FUNCTION_WORDS
from bot.decide.retrieval.query import build_query

_PLAIN = re.compile(
    r"(?<![\w./`\"'\u200c-])[^\W\d_]+(?:\u200c[^\W\d_]+)*(?:['\u2019][^\W\d_]+)?(?![\w/`\"]|\.\w|['\u2019]\w)"
)
_UNSPACED = re.compile(META_UNSPACED)
_ELIDED = re.compile(r"(?<!\w)(?:[ldnmtsj]|qu)['\u2019](?=\w)", re.IGNORECASE)
"""Elided French words, such as in `l'adresse`."""


def search_words(text: str, *, drop_values: bool) -> str:
    """Return the text without plain words about the draft; identifiers and quoted text stay."""

    def replace_word(match: re.Match[str]) -> str:
        word = match[0].lower()
        return " " if is_empty_word(word) or (drop_values and word in VALUE_WORDS) else match[0]

    return " ".join(_PLAIN.sub(replace_word, _UNSPACED.sub(" ", _ELIDED.sub(" ", text))).split())


def has_terms(words: str) -> bool:
    """Return whether any search term is left."""
    return bool(build_query("", words).terms)


def is_empty_word(word: str) -> bool:
    """Return whether a lower-case word is a function word, or about the draft."""
    return word in META or word in FUNCTION_WORDS
