"""Trimming of orders: greetings, politeness and explanations are removed. Pure.

An explanation is removed only where it is neither a condition nor a cancellation nor a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.decide.orders.templates import Book

_QUOTED = re.compile(r"^(?:>|&gt;).*$", re.MULTILINE)
_SHORTCODE = re.compile(r":[a-z0-9_+'-]+:", re.IGNORECASE)
_EMOJI = re.compile(r"[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")
_SHOUTED = re.compile(r"(?<!!)!+1+!*$")
_ENDS = " \t\n.!?,;:\u2026\u3002\uff01\uff1f\u061f\u060c\u00a1\u00bf-\u2013\u2014~"
_SENTENCE = re.compile(r"(?<=[.!?;\u2026\u3002\uff01\uff1f\u061f])\s+|\n+|(?<=[\u3002\uff01\uff1f])")
_CLAUSE = re.compile(r"[,\u060c]\s+|(?<!\s)\s+(?:[-\u2013\u2014]+\s+|\()|\)\s*$")
_POINTS = re.compile(r"\b(?:it|them|that one|those)\b", re.IGNORECASE)
_ASKING = '?\uff1f\u061f`"\u201c\u201e\u00ab'
"""Characters of questions and quotations."""
_MOST_STEPS = 8
_CLOSING = 80
"""Length of a text's end in which a closing phrase is searched, in characters."""
LONGEST = 1_000
"""Maximum length of an order without the text to be noted, in characters."""


def plain_words(message: str) -> str:
    """Return the text with straight quotes and single spaces, without emoji and quotations."""
    text = _QUOTED.sub("", message.replace("\u2019", "'").replace("\u2018", "'").replace("\u00a0", " "))
    text = _SHOUTED.sub("!", _EMOJI.sub(" ", _SHORTCODE.sub(" ", text)))
    return re.sub(r"[ \t]+", " ", re.sub(r"\n(?:[^\S\n]*+\n)+", "\n", text)).strip()


@dataclass(frozen=True)
class Trimmer:
    """Remover of one language's words around an order. The conditions of all `books` count in any text."""

    book: Book
    books: Sequence[Book]

    def candidates(self, text: str) -> Iterator[str]:
        """Yield the text and ever shorter versions of it, each of which may be the order."""
        yielded: set[str] = set()
        for part in self._parts(text):
            for candidate in self._strip_fillers(part):
                if candidate and candidate not in yielded:
                    yielded.add(candidate)
                    yield candidate

    def _parts(self, text: str) -> Iterator[str]:
        """Yield the whole text, then each sentence or clause whose neighbours only explain it."""
        yield text
        if len(text) > LONGEST:  # a text to be noted is kept whole
            return
        for split in (_SENTENCE, _CLAUSE):
            parts = [part for part in split.split(text) if part.strip(_ENDS)]
            if 1 < len(parts) <= _MOST_STEPS:
                yield from filter(_names_its_object, self._split_explanations(parts))
        if self.book.reasons:
            for match in islice(self.book.reasons.finditer(text), _MOST_STEPS):
                if match.start() and self._only_explains(text[match.start() :]):
                    yield text[: match.start()]

    def _split_explanations(self, parts: list[str]) -> Iterator[str]:
        for place, part in enumerate(parts):
            if all(self._only_explains(other) for at, other in enumerate(parts) if at != place):
                yield part

    def _only_explains(self, part: str) -> bool:
        """Return whether a part has no question and no condition of the order."""
        if any(mark in part for mark in _ASKING):
            return False
        return not any(book.conditions and book.conditions.search(part) for book in self.books)

    def _strip_fillers(self, text: str) -> Iterator[str]:
        """Yield the text with openers and closers removed one by one, and a gerund turned into a verb."""
        yield text.strip()  # a text to be noted keeps its full stop
        steps, todo = 0, [text.strip(_ENDS)]
        queued = set(todo)
        while todo and steps < 3 * _MOST_STEPS:
            current = todo.pop(0)
            steps += 1
            yield current
            for less in self._cut_closers(current):
                if less and less not in queued:
                    queued.add(less)
                    todo.append(less)

    def _cut_closers(self, text: str) -> Iterator[str]:
        for opener in self.book.openers:
            if (match := opener.match(text)) and match.end():
                yield from _as_verb(text[match.end() :].strip(_ENDS))
        for closer in self.book.closers:
            if (match := closer.search(text, max(0, len(text) - _CLOSING))) and match.start():
                yield text[: match.start()].strip(_ENDS)


def _names_its_object(part: str) -> bool:
    """Return whether an order has no pronoun for an object that another part may name."""
    return not _POINTS.search(part)


def _as_verb(text: str) -> Iterator[str]:
    """Yield the text, and its verbs where it begins with a gerund: `pausing shop` is `pause shop`."""
    yield text
    first, _, rest = text.partition(" ")
    if len(first) > 5 and first.lower().endswith("ing"):
        stem = first[:-3]
        for verb in (stem, f"{stem}e", stem[:-1]):
            yield f"{verb} {rest}".strip()
