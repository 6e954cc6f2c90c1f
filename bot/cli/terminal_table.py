"""Terminal tables: aligned columns as wide as the terminal, or where they do not fit, one block of lines per row."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = "  "
_NARROWEST = 16
"""Columns below which a cell is not wrapped any more."""
_WIDEST = 2
"""Columns of the widest sign."""


def draw_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, width: int | None, align: str = "right"
) -> list[str]:
    """Return the lines of a table of at most `width` columns; `None` is any width, as in a pipe.

    The widest column is wrapped if that suffices.
    """
    cells = [[" ".join(clean(cell).split()) or "-" for cell in row] for row in (head, *rows)]
    widths = [max(map(measure, column)) for column in zip(*cells, strict=True)]
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - width if width else 0
    if width and over > 0:
        widest = widths.index(max(widths))
        if widths[widest] - over < _NARROWEST:
            return _list_records(cells, width)
        widths[widest] -= over
    return [line for row in cells for line in _draw_row(row, widths, align)]


def measure(text: str) -> int:
    """Return the terminal columns of a text: wide letters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def _draw_row(row: Sequence[str], widths: Sequence[int], align: str) -> list[str]:
    cells = [_wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    lines = []
    for number in range(height):
        line = []
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            text = cell[number] if number < len(cell) else ""
            blank = " " * (width - measure(text))
            line.append(f"{blank}{text}" if place and align == "right" else f"{text}{blank}")
        lines.append(_GAP.join(line).rstrip())
    return lines


def _list_records(cells: Sequence[Sequence[str]], width: int) -> list[str]:
    """List each row's first cell, and below it the others by their column's name."""
    (_, *names), *rows = cells
    lines: list[str] = []
    for first, *others in rows:
        lines += _wrap(first, width, further=2 * _GAP)
        for name, cell in zip(names, others, strict=True):
            lines += _wrap(f"{name}: {cell}", width, first=_GAP, further=2 * _GAP)
    return lines


def _wrap(text: str, width: int, *, first: str = "", further: str = "") -> list[str]:
    """Wrap a text between words, by the columns of the terminal; a word that is wider than a line is broken.

    `first` and `further` are the indents of the first line and of the others, left out where there is no room.
    """
    first, further = (indent if len(indent) + _WIDEST <= width else "" for indent in (first, further))
    lines, blank = [first], False
    for word in text.split():
        rest = word
        if blank and measure(f"{lines[-1]} {rest}") <= width:
            lines[-1] += " "
        elif blank:
            lines.append(further)
        while measure(f"{lines[-1]}{rest}") > width and (cut := _fit(rest, width - measure(lines[-1]))) < len(rest):
            lines[-1] += rest[:cut]
            lines.append(further)
            rest = rest[cut:]
        lines[-1] += rest
        blank = True
    return lines


def _fit(word: str, room: int) -> int:
    """Return the number of signs of a word that fit a number of columns: at least one."""
    fitting = next((number for number in range(1, len(word) + 1) if measure(word[:number]) > room), len(word) + 1) - 1
    return max(1, fitting)
