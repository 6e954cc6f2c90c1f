"""Spelling correction for words of a question that a project lacks: misspelt ones, and foreign cognates. Pure.

The project's own words are the dictionary: a typo is close to one of them, an unknown name to none.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.function_words import FUNCTION_WORDS, own_function_words
from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import EVERYDAY, STOP, WEAK

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.decide.retrieval.query import Query, Term

SHORTEST = 5
"""Minimum length of a word that may be misspelt."""
_LONG = 9
"""Word length from which two errors are allowed."""
_MEANT = 0.7
"""Share of a probable correction."""
_COGNATE = 0.5
"""Share of a project's word for a foreign one with the same beginning."""
_SHARED = 5
_FEWEST_FILES = 2
_MAX_CANDIDATES = 3
"""Maximum number of corrections for one word."""
_VOWELS = frozenset("aeiouy")
_GERMAN = re.compile(
    r"(?:[aeiou]?n|e|er|es|em|t|st|ung|heit|keit|lich|isch|ig|bar|ion|los|schaft|nis|d|s)$|[\u00e4\u00f6\u00fc\u00df]"
)
"""Endings of German words, whose capitalised nouns look like names."""
_ORDINARY = frozenset(word for word in (*STOP, *WEAK, *EVERYDAY, *FUNCTION_WORDS) if len(word) > 3)


def count_slips(typed: str, meant: str, limit: int) -> int:
    """Return the number of typing errors between two words, more than `limit` if they differ too much: a letter
    missing, doubled or added, two swapped, one vowel for another."""
    if abs(len(typed) - len(meant)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for at, letter in enumerate(typed, 1):
        last, row, older = row, [at], before
        for to, other in enumerate(meant, 1):
            swap = (
                0 if letter == other else 1 if {letter, other} <= _VOWELS or {letter, other} <= {"s", "z", "c"} else 2
            )
            cost = min(last[to] + 1, row[to - 1] + 1, last[to - 1] + swap)
            if at > 1 and to > 1 and letter == meant[to - 2] and typed[at - 2] == other:
                cost = min(cost, older[to - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]


def correct_spelling(
    query: Query, question: str, nowhere: set[int], words: Callable[[str], Mapping[str, int]]
) -> Query:
    """Correct a query's spelling by the project's words.

    `nowhere` are its terms without a file, and `words` returns the project's stems with a given prefix, each with its
    number of files.
    """
    own = own_function_words(question)
    terms = list(query.terms)
    for at in sorted(nowhere):
        term = terms[at]
        if not term.proves or term.literal or not term.word.isalpha() or not term.word.islower():
            continue
        named = _is_name(term.word, question, german="der" in own)
        if own and not named:
            terms[at] = _as_cognate(replace(term, forgiven=True), words)
        elif not named and len(term.word) >= SHORTEST and term.word.isascii():
            terms[at] = _as_meant(term, words)
    return replace(query, terms=tuple(terms))


def _is_name(word: str, question: str, *, german: bool) -> bool:
    """Return whether a word looks like a name: capitalised inside a sentence, spelt as code, or quoted."""
    for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", question, re.IGNORECASE):
        before = question[: match.start()].rstrip()
        text = match[0]
        if before[-1:] in ("`", '"', "'", "\u201c") or (text[1:] != text[1:].lower()):
            return True
        if text[0].isupper() and before and before[-1] not in ".?!:\n\u00bf\u00a1":
            return not (german and _GERMAN.search(word))
    return False


def _as_meant(term: Term, words: Callable[[str], Mapping[str, int]]) -> Term:
    """Add probable corrections to a term; a common word is not evidence."""
    max_slips = 2 if len(term.word) >= _LONG else 1
    is_ordinary = any(count_slips(term.word, word, 1) <= 1 for word in _ORDINARY if word[:2] == term.word[:2])
    term = replace(term, forgiven=term.forgiven or is_ordinary)
    key = stem(term.word)
    near = [
        (count_slips(key, other, max_slips), -files, other)
        for other, files in words(key[:2]).items()
        if files >= _FEWEST_FILES and len(other) >= SHORTEST - 1
    ]
    meant = sorted(candidate for candidate in near if candidate[0] <= max_slips)[:_MAX_CANDIDATES]
    if not meant:
        return term
    best = [other for far, _, other in meant if far == meant[0][0]]
    return replace(term, keys={**term.keys, **dict.fromkeys(best, _MEANT)}, forgiven=True)


def _as_cognate(term: Term, words: Callable[[str], Mapping[str, int]]) -> Term:
    """Add the project's words with the same beginning to a foreign term."""
    key = stem(term.word)
    if not key.isascii() or len(key) < _SHARED:
        return term
    candidates = words(key[:_SHARED])
    near = sorted((-files, other) for other, files in candidates.items() if len(other) <= len(key) + 2)
    return replace(term, keys={**term.keys, **{other: _COGNATE for _, other in near[:_MAX_CANDIDATES]}})
