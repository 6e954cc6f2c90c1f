"""Terminal tables: aligned columns as wide as the terminal, or where they do not fit, one block of lines per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.terminal_text import isolate, measure, wrap
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = "  "
_NARROWEST = 16
"""Columns below which a cell is not wrapped any more."""


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
    return [line for row in cells for line in _draw_row(row, widths, align, isolates=width is not None)]


def _draw_row(row: Sequence[str], widths: Sequence[int], align: str, *, isolates: bool) -> list[str]:
    cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    lines = []
    for number in range(height):
        line = []
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            text = cell[number] if number < len(cell) else ""
            blank = " " * (width - measure(text))
            text = isolate(text) if isolates else text
            line.append(f"{blank}{text}" if place and align == "right" else f"{text}{blank}")
        lines.append(_GAP.join(line).rstrip())
    return lines


def _list_records(cells: Sequence[Sequence[str]], width: int) -> list[str]:
    """List each row's first cell, and below it the others by their column's name."""
    (_, *names), *rows = cells
    lines: list[str] = []
    for first, *others in rows:
        lines += wrap(first, width, further=2 * _GAP)
        for name, cell in zip(names, others, strict=True):
            lines += wrap(f"{name}: {cell}", width, first=_GAP, further=2 * _GAP)
    return lines
