"""Quotes: the two to eight lines of a passage that match a question best, verbatim.

Lines that would break the formatting of the reply, or that are unreadable, are not quoted.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import kind
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.decide.retrieval.passages import Passage

LONGEST_LINE = 180
"""Maximum length in characters of a quoted line."""
_FEWEST = 4
"""Minimum number of lines in a quote, if available: the answer is often a line or two beside the words."""
_PLACES = {"definition": 1.3, "assignment": 1.2, "remark": 1.1, "text": 1.0, "import": 0.3}


@dataclass(frozen=True, slots=True)
class Quote:
    """Quote of lines `start` to `end` of a file, counted from 1 and verbatim."""

    start: int
    end: int
    lines: tuple[str, ...]


def quote(
    lines: Sequence[str], part: Passage, worth: Mapping[int, Mapping[int, float]], max_lines: int = 8
) -> Quote | None:
    """Return the best range of at most `max_lines` lines in `part`; `None` if none of its lines can be quoted.

    `worth` maps each line to its terms and their weights; a term counts once in a range.
    """
    best: tuple[float, int, int] | None = None
    for start in range(part.start, part.end + 1):
        if not quotable(lines[start - 1]) or not lines[start - 1].strip():
            continue
        worth_by_term: dict[int, float] = {}
        for end in range(start, min(part.end, start + max_lines - 1) + 1):
            line = lines[end - 1]
            if not quotable(line):
                break
            for term, value in worth.get(end, {}).items():
                worth_by_term[term] = max(worth_by_term.get(term, 0.0), value * _PLACES[kind(line)])
            if not line.strip():
                continue
            # A shorter range wins if a longer one adds nothing.
            value = sum(worth_by_term.values()) * (1 - 0.01 * (end - start))
            if value > 0 and (best is None or value > best[0] + 1e-9):
                best = (value, start, end)
    return None if best is None else _widened(lines, part, best[1], best[2], max_lines)


def stretch(lines: Sequence[str], start: int, end: int, line: int) -> Quote | None:
    """Return lines `start` to `end`, or the quotable ones around `line`; `None` if `line` itself cannot be quoted."""
    if not lines[line - 1].strip() or not quotable(lines[line - 1]):
        return None
    first = last = line
    while first > start and quotable(lines[first - 2]):
        first -= 1
    while last < min(end, len(lines)) and quotable(lines[last]):
        last += 1
    while not lines[first - 1].strip():
        first += 1
    while not lines[last - 1].strip():
        last -= 1
    return Quote(first, last, tuple(lines[first - 1 : last]))


def quotable(line: str) -> bool:
    """Return whether a line can be quoted in a fence: not too long, no fence, no control or direction character."""
    if len(line) > LONGEST_LINE or "```" in line:
        return False
    if "\u200c" in line and clean(line).count("\u200c") == line.count("\u200c"):  # part of Persian spelling
        line = line.replace("\u200c", "")
    return line.replace("\t", " ").isprintable() or not any(map(_is_invisible, line))


def _is_invisible(character: str) -> bool:
    return character != "\t" and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _widened(lines: Sequence[str], part: Passage, start: int, end: int, max_lines: int) -> Quote:
    """Extend a short quote by the comment directly above it, some of the following lines, or else the preceding
    ones."""

    def belongs(number: int) -> bool:
        return part.start <= number <= part.end and quotable(lines[number - 1]) and bool(lines[number - 1].strip())

    fewest = min(_FEWEST, max_lines)
    while end - start + 1 < fewest and belongs(start - 1) and kind(lines[start - 2]) == "remark":
        start -= 1
    while end - start + 1 < fewest and belongs(end + 1):
        end += 1
    while end - start + 1 < fewest and belongs(start - 1):
        start -= 1
    return Quote(start, end, tuple(lines[start - 1 : end]))
