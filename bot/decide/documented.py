"""Defaults that a document tells: in a sentence, in the row of a table, below a heading. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STATED = re.compile(
    r"\bdefaults?\b(?:\s+values?)?\s*(?:is|are|to|of|:|=|\u2013|-)?\s*(?:set to\s+)?[`*_\"'(]*"
    r"(?P<value>-?\d[\w.,%]*|true|false|none|null|on|off|enabled|disabled|`[^`]+`)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"`[^`]+`.*default|\bdefault.*`[^`]*[A-Za-z]{3}[^`]*`|^\s*\[", re.IGNORECASE)
"""A line of a document that names what it tells the default of."""
_CELL = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"[`*_\[\]]+|<[^<>]*>|\([^()]*\)$")
_NEAR = 8
"""Lines between a heading and a default that it names."""


@dataclass(frozen=True, slots=True)
class Told:
    """One default, with the name or the heading that it belongs to."""

    line: int
    name: str
    value: str
    heading: str
    opened: int = 0
    """The line of the heading, where that alone says what the default is of."""


def told(lines: Sequence[str]) -> Iterator[Told]:
    """The defaults of a document, in order."""
    heading, opened = "", 0
    at: tuple[int, ...] | None = None
    for number, line in enumerate(lines, start=1):
        if line.startswith("#"):
            heading, opened = line.strip("# "), number
        head = _columns(line)
        if head:
            at = head if "--" in "".join(lines[number : number + 1]) else at
        elif not line.lstrip().startswith("|"):
            at = None
        if at and not head and (cells := _row(line, at)):
            yield Told(number, cells[0], cells[1], heading)
        elif found := STATED.search(line):
            near = opened if opened and number - opened < _NEAR and not _NAMED.search(line) else 0
            yield Told(number, "", found["value"], heading, near)


def _columns(header: str) -> tuple[int, ...] | None:
    """For the head of a table that has a column of defaults, where that column is; `None` for any other line."""
    if header.count("|") < 2:
        return None
    cells = [cell.strip().lower() for cell in _CELL.split(header)]
    held = tuple(at for at, cell in enumerate(cells) if re.search(r"\bdefaults?\b|\bvalue\b", cell) and len(cell) < 30)
    return held or None


def _row(line: str, at: Sequence[int]) -> tuple[str, str] | None:
    """The name and the default of a row of a table."""
    cells = [_MARKUP.sub("", cell).strip() for cell in _CELL.split(line)]
    named = [cell for cell in cells if cell]
    value = next((cells[column] for column in at if column < len(cells) and cells[column].strip("-: ")), "")
    return (named[0][:60], value) if named and value and value != named[0] else None
