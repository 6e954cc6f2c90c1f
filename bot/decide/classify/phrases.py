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
PLACEHOLDER = "_"
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
        lengths_by_word = defaultdict[str, set[int]](set)
        for phrase in self:
            if phrase:
                lengths_by_word[phrase[at]].add(len(phrase))
        return {word: sorted(lengths) for word, lengths in lengths_by_word.items()}

    def first_of(self, candidates: Sequence[Words]) -> Words:
        """Return the candidate that is the first phrase; empty if none is a phrase."""
        return min((words for words in candidates if words in self.places), key=self.places.__getitem__, default=())


def phrases(packs: Sequence[Pack], *keys: str) -> Phrases:
    """Return the phrases of these pack keys as words, longest first."""
    word_tuples = {tuple(phrase.split()) for pack in packs for key in keys for phrase in pack.words[key]}
    return Phrases(sorted(word_tuples, key=lambda phrase: (-len(phrase), phrase)))


def bare_words(text: str) -> Words:
    """Return the words of a text without accents, which many people omit."""
    bare = "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))
    return tuple(word.replace("\u2019", "'") for word in WORD.findall(bare.replace("\u200c", " ")))


def bare_phrases(texts: Iterable[str]) -> Phrases:
    """Return phrases as words without accents, longest first."""
    return Phrases(sorted({bare_words(text) for text in texts}, key=lambda words: (-len(words), words)))


def beginning(words: Words, known_phrases: Phrases) -> Words:
    """Return the first known phrase that the words begin with; empty without one."""
    lengths = known_phrases.by_first.get(words[0], ()) if words else ()
    return known_phrases.first_of([words[:length] for length in lengths]) if lengths else ()


def ending(words: Words, known_phrases: Phrases) -> Words:
    """Return the first known phrase that the words end with; empty without one."""
    lengths = known_phrases.by_last.get(words[-1], ()) if words else ()
    return known_phrases.first_of([words[-length:] for length in lengths]) if lengths else ()


def is_inside(words: Words, known_phrases: Phrases) -> bool:
    """Return whether the words contain a known phrase."""
    return any(
        words[at : at + length] in known_phrases.places
        for at, word in enumerate(words)
        for length in known_phrases.by_first.get(word, ())
    )


def places_of(words: Words, known_phrases: Phrases) -> list[range]:
    """Return the ranges of known phrases in the words."""
    return [
        range(at, at + length)
        for at, word in enumerate(words)
        for length in known_phrases.by_first.get(word, ())
        if words[at : at + length] in known_phrases.places
    ]


def mask_phrases(words: Words, known_phrases: Phrases) -> Words:
    """Replace each word of a known phrase by the placeholder."""
    matched = {place for places in places_of(words, known_phrases) for place in places}
    return tuple(PLACEHOLDER if at in matched else word for at, word in enumerate(words))
