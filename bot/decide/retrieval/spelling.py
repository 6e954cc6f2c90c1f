"""Words of a question that stand nowhere in a project: misspelt ones, and ones of the asker's own. Pure.

The project's own words are the dictionary: a slip of the hand is near one of those; a name that nobody here uses is
near none.
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
"""Letters of a word that may be misspelt."""
_LONG = 9
"""Letters from which on two slips are forgiven."""
_MEANT = 0.7
"""What a word counts that was probably meant."""
_COGNATE = 0.5
"""What a word of the project counts for one of another language that begins as it does."""
_SHARED = 5
_FEWEST_FILES = 2
_MOST = 3
"""Words of the project that one misspelt word stands for."""
_VOWELS = frozenset("aeiouy")
_GERMAN = re.compile(
    r"(?:[aeiou]?n|e|er|es|em|t|st|ung|heit|keit|lich|isch|ig|bar|ion|los|schaft|nis|d|s)$|[\u00e4\u00f6\u00fc\u00df]"
)
"""Ends of German words, whose nouns look like names."""
_ORDINARY = frozenset(word for word in (*STOP, *WEAK, *EVERYDAY, *FUNCTION_WORDS) if len(word) > 3)


def slips(typed: str, meant: str, most: int) -> int:
    """How many slips lie between two words, more than `most` where they are no slips: a letter left out, doubled or put
    in, two in the wrong order, a vowel for a vowel.
    """
    if abs(len(typed) - len(meant)) > most:
        return most + 1
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


def respelt(query: Query, question: str, nowhere: set[int], words: Callable[[str], Mapping[str, int]]) -> Query:
    """The question as the project spells it; `nowhere` are its terms that stand in no file, and `words` gives the stems
    of the project that begin with some letters, each with the number of its files.
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
    """Return whether a word looks like the name of something: capitalised within a sentence, of code, or quoted."""
    for found in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", question, re.IGNORECASE):
        before = question[: found.start()].rstrip()
        text = found[0]
        if before[-1:] in ("`", '"', "'", "\u201c") or (text[1:] != text[1:].lower()):
            return True
        if text[0].isupper() and before and before[-1] not in ".?!:\n\u00bf\u00a1":
            return not (german and _GERMAN.search(word))
    return False


def _as_meant(term: Term, words: Callable[[str], Mapping[str, int]]) -> Term:
    """A term with the words of the project that were probably meant; an ordinary word is no evidence."""
    most = 2 if len(term.word) >= _LONG else 1
    is_ordinary = any(slips(term.word, word, 1) <= 1 for word in _ORDINARY if word[:2] == term.word[:2])
    term = replace(term, forgiven=term.forgiven or is_ordinary)
    key = stem(term.word)
    near = [
        (slips(key, other, most), -files, other)
        for other, files in words(key[:2]).items()
        if files >= _FEWEST_FILES and len(other) >= SHORTEST - 1
    ]
    meant = sorted(one for one in near if one[0] <= most)[:_MOST]
    if not meant:
        return term
    best = [other for far, _, other in meant if far == meant[0][0]]
    return replace(term, keys={**term.keys, **dict.fromkeys(best, _MEANT)}, forgiven=True)


def _as_cognate(term: Term, words: Callable[[str], Mapping[str, int]]) -> Term:
    """A term of another language with the words of the project that begin as it does."""
    key = stem(term.word)
    if not key.isascii() or len(key) < _SHARED:
        return term
    found = words(key[:_SHARED])
    near = sorted((-files, other) for other, files in found.items() if len(other) <= len(key) + 2)
    return replace(term, keys={**term.keys, **{other: _COGNATE for _, other in near[:_MOST]}})
