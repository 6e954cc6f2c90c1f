"""Synonyms: derived forms, words of similar meaning, and words that people write separately.

The words are listed in `decide/retrieval/stopwords`.
"""

from __future__ import annotations

from functools import cache

from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import EVERYDAY, JOINED, SYNONYMS, WEAK

PARTICLES = frozenset(("out", "up", "off", "in", "on", "down", "over", "back"))
"""Second parts of the words in `JOINED`."""

_DERIVED = 0.75
"""Share of a derived word: `handler` for `handle`."""
_ALIKE = 0.5
"""Share of a word of similar meaning: `fallback` for `default`."""


@cache
def joined_words() -> dict[tuple[str, str], str]:
    """Return the joined words by stem and particle: `(tim, out)` gives `timeout`."""
    return {(stem(word.removesuffix(tail)), tail): word for word in JOINED for tail in PARTICLES if word.endswith(tail)}


@cache
def weak_stems() -> frozenset[str]:
    """Return the stems of weak words."""
    return frozenset(stem(word) for word in WEAK)


@cache
def everyday() -> frozenset[str]:
    """Return the stems of everyday words."""
    return frozenset(stem(word) for word in EVERYDAY)


@cache
def _build_synonyms() -> dict[str, frozenset[str]]:
    """Return for each stem its synonyms in code."""
    table: dict[str, set[str]] = {}
    for group in SYNONYMS:
        stems = {stem(word) for word in group}
        for key in stems:
            table.setdefault(key, set()).update(stems - {key})
    return {key: frozenset(others) for key, others in table.items()}


def synonyms_of(key: str) -> dict[str, float]:
    """Return the stem, its derived forms and its synonyms, with their shares."""
    shares = dict.fromkeys(sorted(_build_synonyms().get(key, ())), _ALIKE)
    for other in _derived(key):
        shares[other] = _DERIVED
    shares[key] = 1.0
    return shares


def _derived(key: str) -> tuple[str, ...]:
    """Return derived forms: `handler` for `handl`, `configur` for `configurat`, and back."""
    if not key.isascii() or len(key) < 4:
        return ()
    if key.endswith(("er", "or")) and len(key) > 5:
        return (key[:-2], stem(key[:-2]))
    if key.endswith("at") and len(key) > 6:
        return (key[:-2], f"{key}or")
    return (f"{key}er", f"{key}or", f"{key}at") if len(key) > 5 else (f"{key}er", f"{key}or")
