"""Phrases of the language packs as word tuples, and their search in a sentence. Pure.

Each word of a text is looked up once among the first or last words of all phrases, so the cost depends on the text and
not on the number of phrases.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.decide.classify.language_packs import Pack

Words = tuple[str, ...]
"""Words of a phrase or a sentence."""
TAKEN = "_"
"""Placeholder for the words of a removed phrase, such as `no problem`."""


WORD = re.compile(r"[^\W_]+(?:['\u2019_][^\W_]+)*")
"""Word without surrounding punctuation; an identifier is one word, so that `lost_after_days` reports no loss."""


class Phrases(tuple[Words, ...]):
    """Phrases by precedence."""

    @cached_property
    def places(self) -> Mapping[Words, int]:
        """Return the position of each phrase."""
        return {phrase: place for place, phrase in reversed([*enumerate(self)])}

    @cached_property
    def by_first(self) -> Mapping[str, Sequence[int]]:
        """Return the lengths of the phrases by their first word."""
        return self._lengths(0)

    @cached_property
    def by_last(self) -> Mapping[str, Sequence[int]]:
        """Return the lengths of the phrases by their last word."""
        return self._lengths(-1)

    def _lengths(self, at: int) -> Mapping[str, Sequence[int]]:
        found = defaultdict[str, set[int]](set)
        for phrase in self:
            if phrase:
                found[phrase[at]].add(len(phrase))
        return {word: sorted(lengths) for word, lengths in found.items()}

    def first_of(self, found: Sequence[Words]) -> Words:
        """Return the candidate that is the first phrase; empty if none is a phrase."""
        return min((words for words in found if words in self.places), key=self.places.__getitem__, default=())


def phrases(packs: Sequence[Pack], *keys: str) -> Phrases:
    """Return the phrases of these pack keys as words, longest first."""
    found = {tuple(phrase.split()) for pack in packs for key in keys for phrase in pack.words[key]}
    return Phrases(sorted(found, key=lambda phrase: (-len(phrase), phrase)))


def bare_words(text: str) -> Words:
    """Return the words of a text without accents, which many people omit."""
    bare = "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))
    return tuple(word.replace("\u2019", "'") for word in WORD.findall(bare.replace("\u200c", " ")))


def bare_phrases(texts: Iterable[str]) -> Phrases:
    """Return phrases as words without accents, longest first."""
    return Phrases(sorted({bare_words(text) for text in texts}, key=lambda words: (-len(words), words)))


def beginning(words: Words, known: Phrases) -> Words:
    """Return the first known phrase that the words begin with; empty without one."""
    lengths = known.by_first.get(words[0], ()) if words else ()
    return known.first_of([words[:length] for length in lengths]) if lengths else ()


def ending(words: Words, known: Phrases) -> Words:
    """Return the first known phrase that the words end with; empty without one."""
    lengths = known.by_last.get(words[-1], ()) if words else ()
    return known.first_of([words[-length:] for length in lengths]) if lengths else ()


def is_inside(words: Words, known: Phrases) -> bool:
    """Return whether the words contain a known phrase."""
    return any(
        words[at : at + length] in known.places
        for at, word in enumerate(words)
        for length in known.by_first.get(word, ())
    )


def places_of(words: Words, known: Phrases) -> list[range]:
    """Return the ranges of known phrases in the words."""
    return [
        range(at, at + length)
        for at, word in enumerate(words)
        for length in known.by_first.get(word, ())
        if words[at : at + length] in known.places
    ]


def without(words: Words, known: Phrases) -> Words:
    """Replace each word of a known phrase by the placeholder."""
    taken = {place for places in places_of(words, known) for place in places}
    return tuple(TAKEN if at in taken else word for at, word in enumerate(words))
