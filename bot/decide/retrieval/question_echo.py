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
_SEEN = 300
_ASKING = re.compile(
    r"\W*(?:(?:\w+\W+){0,2}?(?:where|what|how|which|why|who)|when (?:is|are|was|do|does|did|will|can|should)"
    r"|wo|wie|was|welche[rsmn]?|warum|wer|wann|d[o\u00f3]nde|c\u00f3mo|qu\u00e9|cu\u00e1l(?:es)?|qui\u00e9n"
    r"|o\u00f9|comment|quel(?:le)?s?|pourquoi|onde|qual|dove|quale|perch\u00e9)\b",
    re.IGNORECASE,
)


def echoes(question: str, path: str, lines: Sequence[str]) -> set[int]:
    """Return the numbers (from 1) of the lines that repeat a sentence of the question, if it asks something.

    A sentence that does not ask may be a pasted message, and the line its source.
    """
    sentences = (
        _words(said) for said in _SENTENCE.findall(question[:2_000]) if said[-1] in "?\uff1f" or is_asking(said)
    )
    asked = [words for words in sentences if len(words.split()) >= FEWEST_WORDS]
    telling = [max(words.split(), key=len) for words in asked]
    found = set()
    for number, line in enumerate(lines if asked else (), 1):
        lowered = line[:_SEEN].lower()
        if not any(word in lowered for word in telling):
            continue
        said = _words(lowered)
        for words in asked:
            if words in said and not (said == words and is_document(path)):
                found.add(number)
    return found


def is_asking(text: str) -> bool:
    """Return whether a text begins like a question."""
    return bool(_ASKING.match(text))


def _words(text: str) -> str:
    """Return the words in lower case, with one blank before and after each."""
    return f" {' '.join(_WORD.findall(text.lower()))} "
