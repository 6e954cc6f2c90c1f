"""Index keys of words, for indexing a text and looking up a question. Pure.

A stem is its own key. An identifier of several words has a key that begins with a quotation mark; a word with accents
has another that begins with a tilde, for its ASCII spelling.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import pieces, stem, unaccented

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

LONGEST = 60
"""Maximum length of a token; nobody asks about longer runs."""
_TOKEN = re.compile(r"\w+")
_DIGITS = 6
"""Maximum number of digits in a number that may be asked about."""
_OPAQUE = re.compile(r"(?=\D*\d\D*\d\D*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9]{20,}|[0-9a-fA-F]{16,}|\d{7,}")
"""Random-looking runs: keys, hashes, long numbers."""
_MOST_KNOWN = 60_000
_MOST_SPELT = 40_000
_keys_by_token: dict[str, tuple[str, ...]] = {}


def keys_of_token(token: str) -> tuple[str, ...]:
    """Return the keys of one token; none for a random-looking one."""
    keys = _keys_by_token.get(token)
    if keys is None:
        if len(_keys_by_token) >= _MOST_KNOWN:
            _keys_by_token.clear()
        keys = _keys_by_token[token] = _keys(token)
    return keys


def _keys(token: str) -> tuple[str, ...]:
    if len(token) > LONGEST or _OPAQUE.search(token):
        return ()
    words = [word for word in pieces(token) if not (word.isdecimal() and len(word) > _DIGITS)]
    keys = [stem(word) for word in words]
    keys += [f"~{stem(form)}" for word in words for form in unaccented(word)]
    if len(words) > 1 or "_" in token:
        keys.append(literal_key(token))
    return tuple(keys)


def literal_key(name: str) -> str:
    """Return the verbatim, case-insensitive key of a name."""
    return f'"{name.lower()}'


def count_keys(text: str) -> Counter[str]:
    """Count the keys of a text."""
    counts: Counter[str] = Counter()
    cache, get = _keys_by_token, counts.get
    for token, times in Counter(_TOKEN.findall(text)).items():
        keys = cache.get(token)
        for key in keys_of_token(token) if keys is None else keys:
            counts[key] = get(key, 0) + times
    return counts


@lru_cache(_MOST_SPELT)
def _all_keys(token: str) -> tuple[str, ...]:
    """Return the search keys of all words of a token."""
    return tuple(key for _, keys in _list_word_keys.__wrapped__(token) for key in keys)


@lru_cache(_MOST_SPELT // 8)
def _list_word_keys(token: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words of a token, each with its search keys."""
    return tuple((word, (stem(word), *(f"~{stem(form)}" for form in unaccented(word)))) for word in pieces(token))


class WordFinder:
    """Search for wanted words in lines: words with one of the keys, and verbatim literals."""

    def __init__(self, wanted: Collection[str], literals: Iterable[str]) -> None:
        self._wanted = frozenset(wanted)
        self._literals = [text.lower() for text in literals]
        self._words_by_token: dict[str, tuple[str, ...]] = {}

    def find(self, lines: Sequence[str]) -> tuple[list[int], list[str]]:
        """Return the line number of each match, and the matched words in lower case."""
        numbers: list[int] = []
        words: list[str] = []
        words_by_token = self._words_by_token
        rows = list(map(_TOKEN.findall, lines))
        tokens = set().union(*rows)
        new = [*tokens.difference(words_by_token)]
        words_by_token.update(dict.fromkeys(new, ()))
        for token in compress(new, map(not_, map(self._wanted.isdisjoint, map(_all_keys, new)))):
            words_by_token[token] = tuple(
                word for word, keys in _list_word_keys(token) if not self._wanted.isdisjoint(keys)
            )
        matching = {token for token in tokens if words_by_token[token]}
        for number, row in enumerate(rows if matching else (), start=1):
            if matching.isdisjoint(row):
                continue
            for token in row:
                for word in words_by_token[token]:
                    numbers.append(number)
                    words.append(word)
        whole = "\n".join(lines).lower() if self._literals else ""
        for literal in self._literals:
            if literal in whole:
                for number, line in enumerate(lines, start=1):
                    for _ in range(line.lower().count(literal)):
                        numbers.append(number)
                        words.append(literal)
        return numbers, words
