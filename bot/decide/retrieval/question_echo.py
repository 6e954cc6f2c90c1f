"""Question echoes: lines of a demo or a test that repeat the question, and answer nothing.

A line of a document that consists only of the question is a heading above its answer, and is kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_WORDS = 4
"""Minimum number of words in a sentence, to distinguish it from a common phrase."""

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.?!\uff1f\n]+[?\uff1f]?")
_MAX_LINE_LENGTH = 300
_ASKING = re.compile(
    r"\W*(?:(?:\w+\W+){0,2}?(?:where|what|how|which|why|who)|when (?:is|are|was|do|does|did|will|can|should)"
    r"|wo|wie|was|welche[rsmn]?|warum|wer|wann|d[o\u00f3]nde|c\u00f3mo|qu\u00e9|cu\u00e1l(?:es)?|qui\u00e9n"
    r"|o\u00f9|comment|quel(?:le)?s?|pourquoi|onde|qual|dove|quale|perch\u00e9)\b",
    re.IGNORECASE,
)


def find_echoes(question: str, path: str, lines: Sequence[str]) -> set[int]:
    """Return the numbers (from 1) of the lines that repeat a sentence of the question, if it asks something.

    A sentence that does not ask may be a pasted message, and the line its source.
    """
    sentences = (
        _pad_words(text) for text in _SENTENCE.findall(question[:2_000]) if text[-1] in "?\uff1f" or is_asking(text)
    )
    questions = [words for words in sentences if len(words.split()) >= FEWEST_WORDS]
    telling = [max(words.split(), key=len) for words in questions]
    numbers = set()
    for number, line in enumerate(lines if questions else (), 1):
        lowered = line[:_MAX_LINE_LENGTH].lower()
        if not any(word in lowered for word in telling):
            continue
        text = _pad_words(lowered)
        for words in questions:
            if words in text and not (text == words and is_document(path)):
                numbers.add(number)
    return numbers


def is_asking(text: str) -> bool:
    """Return whether a text begins like a question."""
    return bool(_ASKING.match(text))


def _pad_words(text: str) -> str:
    """Return the words in lower case, with one blank before and after each."""
    return f" {' '.join(_WORD.findall(text.lower()))} "
