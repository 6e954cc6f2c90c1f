"""Open questions that their author settles by name: `the cache one is solved`. Pure.

A name consists of words of the question, with small words around them. The sentence without the name must settle a
question by the rules of `decide/classify/settlement` or `decide/orders`. A word that is in none of the author's
questions is not part of a name, so that statements about something else close nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from bot.decide.letters import one_form
from bot.decide.retrieval.stemmer import pieces, stem
from bot.decide.retrieval.stopwords import STOP
from bot.decide.word_tables import packaged_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bot.models.named_question import OwnQuestion

LONGEST = 120
"""Maximum length of a text that closes a question by name, in characters."""
_MOST_TRIED = 20
"""Maximum of readings without a name that are tried."""
_MOST_TELLING = 6
"""Maximum of words that a name can be made of."""
_LONG, _ENDING = 5, 2
"""Minimum letters of a word that matches with another ending, and maximum letters of that ending."""
_TOKEN = re.compile(
    r"[\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u4e00-\u9fff]+"
    r"|(?:(?![\u3040-\u30ff\u4e00-\u9fff])\w)+"
)
"""Word, or the part of one in a single script where words have no spaces between them."""
_APART = re.compile(r"[^\s\-_/`'\"\u2019*.#<>@()\[\]:]|[:.](?=\s|$)")
"""Character that ends a name; others may be inside it."""


@dataclass(frozen=True, slots=True)
class Closing:
    """Questions that a text settles; empty where it may mean any of several."""

    homes: tuple[str, ...] = ()
    is_named: bool = False
    """True if the text names the question, or means all of them."""


def find_named_question(
    text: str, questions: Sequence[OwnQuestion], settles: Callable[[str], bool]
) -> OwnQuestion | None:
    """Return the one question that a text names and settles; `None` where that is none, or may be several."""
    if not questions or len(text) > LONGEST:
        return None
    stems = {question.home: _stems(question.text) for question in questions}
    settles = cache(settles)  # languages share forms of *my question*
    spoken = _stems(text)
    telling = _same_as_any(frozenset(chain.from_iterable(stems.values())), spoken)
    if len(telling) > _MOST_TELLING:
        return None
    tried = set[str]()
    for less in ((), *((each,) for each in sorted(telling))):  # one word may belong to the order: "cancel"
        for names, rest in _without_name(text, telling.difference(less)):
            meant = [question for question in questions if names <= stems[question.home]]
            if len(meant) != 1:
                continue
            if settles(rest):
                return meant[0]
            tried.add(rest)
            if len(tried) > _MOST_TRIED:
                return None
    return None


def _without_name(text: str, telling: frozenset[str]) -> Iterator[tuple[frozenset[str], str]]:
    """Yield the words that name a question, with the text after replacing the name by *my question*."""
    for forms, around in _languages():
        runs = _runs(text, telling, around)
        names = frozenset(chain.from_iterable(names for _, _, names in runs))
        for form in (*forms, "") if runs else ():
            rest, end = "", 0
            for start, stop, _ in runs:
                rest += text[end:start] + form
                end = stop
            yield names, (rest + text[end:]).strip(" ,:;.-")


def _runs(text: str, telling: frozenset[str], around: frozenset[str]) -> list[tuple[int, int, frozenset[str]]]:
    """Return the ranges of a text that may be a name: begin, end and distinctive words."""
    runs: list[tuple[int, int, frozenset[str]]] = []
    start: int | None = None
    end, names = 0, set[str]()
    for token in _TOKEN.finditer(text):
        word = one_form(token[0].lower())
        if start is not None and _APART.search(text[end : token.start()]):
            _keep(runs, start, end, names)
            start, names = None, set()
        kinds = {telling_stem for word in _stems(token[0]) for telling_stem in telling if _is_same(telling_stem, word)}
        if not kinds and word not in around:
            _keep(runs, start, end, names)
            start, names = None, set()
            continue
        start = token.start() if start is None else start
        names |= kinds
        end = token.end()
    _keep(runs, start, end, names)
    return runs


def _keep(runs: list[tuple[int, int, frozenset[str]]], start: int | None, end: int, names: set[str]) -> None:
    if start is not None and names:
        runs.append((start, end, frozenset(names)))


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of a text's distinctive words, and of the parts of compound names."""
    words = {part for token in _TOKEN.findall(text) for part in (token.lower(), *pieces(token))}
    return frozenset(stem(word) for word in map(one_form, words) if word not in STOP and not _is_small(word))


def _is_same(first: str, second: str) -> bool:
    """Return whether two stems are equal, or differ in an ending that the stemmer does not remove."""
    short, long = sorted((first, second), key=len)
    return first == second or (len(short) >= _LONG and len(long) - len(short) <= _ENDING and long.startswith(short))


def _same_as_any(stems: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    """Return the stems that match one of the words, looked up by their beginnings."""
    cut = {word[:-end] for word in words for end in range(1, _ENDING + 1) if len(word) - end >= _LONG}
    ends = range(1, _ENDING + 1)
    return frozenset(
        candidate
        for candidate in stems
        if candidate in words
        or candidate in cut
        or any(len(candidate) - end >= _LONG and candidate[:-end] in words for end in ends)
    )


def _is_small(word: str) -> bool:
    """Return whether a word is not content: hiragana alone, a letter, or a small word around names."""
    return bool(re.fullmatch(r"[\u3040-\u309f]+|[A-Za-z]", word)) or any(word in around for _, around in _languages())


@cache
def _languages() -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    """Return the forms of *my question* and the words around a name, by language."""
    languages = packaged_table("own_question.yml").values()
    return tuple((tuple(each["forms"]), frozenset(map(one_form, each["around"]))) for each in languages)
