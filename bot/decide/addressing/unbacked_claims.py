"""Unbacked claims: answers without a command that may make their reader believe something was changed. Pure.

An answer may, unless the request only asks for information or is about the two speakers, and the answer claims nothing
done. A request in a language without a pack may ask for anything.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bot.decide.classify.language_packs import load
from bot.decide.classify.phrases import beginning, phrases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.classify.phrases import Words

_SENTENCE = re.compile(r"[^.!?\n;\u2026\u3002\uff01\uff1f\u061f]+[.!?\n;\u2026\u3002\uff01\uff1f\u061f]*")
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_ASKS = ("?", "\uff1f", "\u061f")
_STEM = 4
"""Minimum letters of a stem; a longer stem may be inside a word, as in `gelöscht`."""


@cache
def claim_words(languages: tuple[str, ...] = ()) -> ClaimWords:
    """Return the words of these languages' packs, of all when none is named; built once per process."""
    return ClaimWords(languages)


class ClaimWords:
    """Words of some language packs."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        packs = load(languages)
        spaced = [pack for pack in packs if pack.spaced]
        self._inner = tuple(word for pack in packs if not pack.spaced for word in pack.words["orders"])
        persons = phrases(spaced, "i", "you")
        orders = {words[0] for words in phrases(spaced, "orders")} - {word for words in persons for word in words}
        self._orders = orders | {word for pack in spaced for word in pack.words["note_words"]}
        self._stems = tuple(sorted({word[: max(_STEM, len(word) - 1)] for word in orders if len(word) >= _STEM}))
        self._short = frozenset(f"{word}{end}" for word in orders if len(word) < _STEM for end in ("ed", "ted", "ped"))
        self._over = phrases(spaced, "resolved", "settled")
        self._agrees = frozenset(phrases(spaced, "acks"))
        self._persons, self._wants = persons, phrases(spaced, "question_words")
        self._plainly = phrases(spaced, "plain_questions")
        self._requests = phrases(spaced, "requests", "wishes", "proposals", "may_we", "order_openers")

    def may_claim(self, request: str, answer: str) -> bool:
        """Return whether an answer to a request may be read as a claim that something was done."""
        statements = [_split_words(sentence) for sentence in _sentences(answer) if not sentence.endswith(_ASKS)]
        if not statements:  # an answer that only asks back has done nothing
            return False
        sentences = _sentences(request)
        if not all(map(self._is_plain, sentences)) or any(map(self._is_claim, statements)):
            return True
        return not all(map(self._is_about_speakers, sentences)) and any(words in self._agrees for words in statements)

    def _is_claim(self, words: Words) -> bool:
        """Return whether a sentence of an answer says that something is over or was done."""
        return bool(beginning(words, self._over)) or any(map(self._is_done, words))

    def _is_done(self, word: str) -> bool:
        """Return whether it is an order's verb in another form, such as `paused` or `gelöscht`."""
        if word in self._orders:
            return False
        within = any(word.startswith(stem) or (len(stem) > _STEM and stem in word) for stem in self._stems)
        return within or word in self._short or any(order in word for order in self._inner)

    def _is_plain(self, sentence: str) -> bool:
        """Return whether a sentence asks for information, or is about the two speakers, and gives no order."""
        words = _split_words(sentence)
        if beginning(words, self._requests):
            return False
        if beginning(words, self._wants if sentence.endswith(_ASKS) else self._plainly):
            return True
        return self._is_about_speakers(sentence)

    def _is_about_speakers(self, sentence: str) -> bool:
        """Return whether it is about the two speakers, and has no word of an order."""
        words = _split_words(sentence)
        return bool(beginning(words, self._persons)) and self._orders.isdisjoint(words)


def _sentences(text: str) -> list[str]:
    """Return the sentences that have words, with their punctuation."""
    return [sentence.strip().rstrip("*_~ ") for sentence in _SENTENCE.findall(text) if _WORD.search(sentence)]


def _split_words(text: str) -> Words:
    return tuple(_WORD.findall(text.lower()))
