"""Sentences of a document with their line numbers, and selection of the one that best matches a question. Pure.

Headings, tables, fences and indented code contain no sentences; each list item is read as a separate paragraph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LONGEST = 420
"""Maximum length in characters of a sentence that is quoted alone."""
_SHORTEST = 3
"""Minimum number of words in a sentence."""
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s+")
_QUOTED = re.compile(r"^\s*>\s?")
_NO_PROSE = re.compile(
    r"^\s*(?:#{1,6}\s|\||```|~~~|\.\. |:\w+:|<!--|</?\w++[^>]*+>\s*$|!\[|\[[^\]]++\]:|([=\-~^\"'`*+])\1{2,}\s*$)"
)
_CODE = re.compile(r"^(?: {4}|\t)")
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)[.!?][\"'`*_)\]]*(?=\s+[^\sa-z]|$)"
    r"|[\u3002\uff01\uff1f]",
    re.MULTILINE,
)
_BRIEF = 60
"""Length in characters below which a sentence is quoted together with the next one."""
_MARK = re.compile(r"\*\*|__")
_VALUE = re.compile(r"\d|`[^`]+`|\b(?:none|true|false|unlimited|never|always|on|off)\b", re.IGNORECASE)
_PREFERRED = 1.35
"""Factor for a sentence with a value, if a value is asked for."""
_LENGTH = 0.0006
"""Penalty per character, so that the shorter of two equally good sentences wins."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence on lines `start` to `end`, counted from 1."""

    start: int
    end: int
    text: str

    def covers(self, line: int) -> bool:
        """Return whether a line contains a part of it."""
        return self.start <= line <= self.end


def sentences(lines: Sequence[str], start: int, end: int) -> Iterator[Sentence]:
    """Yield the sentences of lines `start` to `end` of a document, in order."""
    paragraph: list[str] = []
    first = start
    fenced = False
    for number in range(start, end + 2):
        line = lines[number - 1] if number <= end else ""
        marks = line.lstrip().startswith(("```", "~~~"))
        fenced ^= marks
        item = bool(_ITEM.match(line))
        is_code = bool(_CODE.match(line)) and not paragraph and not item
        if fenced or marks or is_code or not line.strip() or _NO_PROSE.match(line) or item:
            yield from _split(paragraph, first)
            paragraph = []
        if item or not (fenced or marks or is_code or not line.strip() or _NO_PROSE.match(line)):
            first = first if paragraph else number
            paragraph.append(_QUOTED.sub("", _ITEM.sub("", line)))


def _split(paragraph: Sequence[str], first: int) -> Iterator[Sentence]:
    text = "\n".join(paragraph)
    at = 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        part = text[at:end]
        sentence = _drop_unbalanced_bold(" ".join(part.split()))
        if len(sentence.split()) >= _SHORTEST or len(sentence.encode()) >= 4 * _SHORTEST * _SHORTEST:
            begins = at + len(part) - len(part.lstrip())
            yield Sentence(first + text.count("\n", 0, begins), first + text.count("\n", 0, end), sentence)
        at = end


def _drop_unbalanced_bold(text: str) -> str:
    """Remove bold marks that are unbalanced within a sentence."""
    return text if len(_MARK.findall(text)) % 2 == 0 else _MARK.sub("", text)


def best_sentence(
    lines: Sequence[str],
    start: int,
    end: int,
    worth: Mapping[int, Mapping[str, tuple[int, float]]],
    *,
    value: bool = False,
    heading: float = 0.0,
) -> tuple[Sentence, float] | None:
    """Return the sentence with the best score, and the score.

    `worth` maps each line to its words, each with its term and weight. `heading` is the weight of the heading above,
    which the first sentence continues.
    """
    best: tuple[Sentence, float] | None = None
    candidates = list(sentences(lines, start, end))
    for at, sentence in enumerate(candidates):
        if len(sentence.text) > LONGEST or sentence.text.endswith(":"):
            continue
        spoken = sentence.text.lower()
        worth_by_term: dict[int, float] = {}
        for number in range(sentence.start, sentence.end + 1):
            for word, (term, amount) in worth.get(number, {}).items():
                if word in spoken:
                    worth_by_term[term] = max(worth_by_term.get(term, 0.0), amount)
        score = (sum(worth_by_term.values()) + (0 if at else heading)) * (1 - _LENGTH * len(sentence.text))
        score *= _PREFERRED if value and _VALUE.search(sentence.text) else 1.0
        if score > 0 and (best is None or score > best[1]):
            best = _with_next(candidates, at), score
    return best


def _with_next(candidates: Sequence[Sentence], at: int) -> Sentence:
    """Return a sentence, joined with the one that starts on its last line if it is short."""
    sentence = candidates[at]
    after = candidates[at + 1] if at + 1 < len(candidates) else None
    if (
        after is None
        or len(sentence.text) > _BRIEF
        or after.start != sentence.end
        or len(after.text) > LONGEST - _BRIEF
    ):
        return sentence
    return Sentence(sentence.start, after.end, f"{sentence.text} {after.text}")
