"""What stands around an order: greetings, politeness, explanations. Pure.

An explanation is taken off only where nothing in it makes the order depend on something, takes it back, or asks.
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
"""What asks, or quotes what a program says."""
_MOST_STEPS = 8
_CLOSING = 80
"""Characters at the end of a text in which a closer stands."""
LONGEST = 1_000
"""Characters of an order, but for a text that it gives to be written down."""


def plain_words(said: str) -> str:
    """The text with straight quotes and single blanks within lines, without emoji and what is quoted of others."""
    text = _QUOTED.sub("", said.replace("\u2019", "'").replace("\u2018", "'").replace("\u00a0", " "))
    text = _SHOUTED.sub("!", _EMOJI.sub(" ", _SHORTCODE.sub(" ", text)))
    return re.sub(r"[ \t]+", " ", re.sub(r"\n(?:[^\S\n]*+\n)+", "\n", text)).strip()


@dataclass(frozen=True)
class Trimmer:
    """Takes off what one language puts around an order; `books` are all, whose conditions count in any text."""

    book: Book
    books: Sequence[Book]

    def candidates(self, text: str) -> Iterator[str]:
        """The text, then ever less of it: each may be the order that it gives."""
        seen: set[str] = set()
        for part in self._parts(text):
            for candidate in self._stripped(part):
                if candidate and candidate not in seen:
                    seen.add(candidate)
                    yield candidate

    def _parts(self, text: str) -> Iterator[str]:
        """All of it, then the one sentence or clause whose neighbours only explain it."""
        yield text
        if len(text) > LONGEST:  # a text to be written down, whose sentences are all its own
            return
        for split in (_SENTENCE, _CLAUSE):
            parts = [part for part in split.split(text) if part.strip(_ENDS)]
            if 1 < len(parts) <= _MOST_STEPS:
                yield from filter(_names_its_object, self._alone(parts))
        if self.book.reasons:
            for found in islice(self.book.reasons.finditer(text), _MOST_STEPS):
                if found.start() and self._only_explains(text[found.start() :]):
                    yield text[: found.start()]

    def _alone(self, parts: list[str]) -> Iterator[str]:
        for place, part in enumerate(parts):
            if all(self._only_explains(other) for at, other in enumerate(parts) if at != place):
                yield part

    def _only_explains(self, part: str) -> bool:
        """Return whether a part neither asks nor says when, or whether, the order is meant."""
        if any(mark in part for mark in _ASKING):
            return False
        return not any(book.conditions and book.conditions.search(part) for book in self.books)

    def _stripped(self, text: str) -> Iterator[str]:
        """The text without one opener or closer after the other, and with a gerund as its verb."""
        yield text.strip()  # what is to be written down keeps its full stop
        steps, todo = 0, [text.strip(_ENDS)]
        seen = set(todo)
        while todo and steps < 3 * _MOST_STEPS:
            current = todo.pop(0)
            steps += 1
            yield current
            for less in self._shorter(current):
                if less and less not in seen:
                    seen.add(less)
                    todo.append(less)

    def _shorter(self, text: str) -> Iterator[str]:
        for opener in self.book.openers:
            if (found := opener.match(text)) and found.end():
                yield from _as_verb(text[found.end() :].strip(_ENDS))
        for closer in self.book.closers:
            if (found := closer.search(text, max(0, len(text) - _CLOSING))) and found.start():
                yield text[: found.start()].strip(_ENDS)


def _names_its_object(part: str) -> bool:
    """Return whether an order stands for itself: what `it` is may be said in the part beside it."""
    return not _POINTS.search(part)


def _as_verb(text: str) -> Iterator[str]:
    """The text, and where a gerund begins it the verbs that it may be: `pausing shop` is `pause shop`."""
    yield text
    first, _, rest = text.partition(" ")
    if len(first) > 5 and first.lower().endswith("ing"):
        stem = first[:-3]
        for verb in (stem, f"{stem}e", stem[:-1]):
            yield f"{verb} {rest}".strip()
