"""Markdown tables as Slack's table block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.reply import cell
from blocks.text_pieces import TABLE_RULE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blocks.text import Block

ROWS, COLUMNS, LONGEST = 100, 20, 9_000
"""Slack's limits of one table; a message has one."""

_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$")
_FENCE = re.compile(r"^[ \t]*`{3,}")
_CELLS = re.compile(r"(?:`[^`\n]*`|\\\||[^|])+")


@dataclass(frozen=True)
class MarkdownTable:
    """Rows of cells, the head first."""

    rows: tuple[tuple[str, ...], ...]

    def block(self, inserts: Mapping[str, Block]) -> Block:
        """Build the table block; placeholders in the cells stand for `inserts`."""
        head, *rows = self.rows
        bold = [f"**{text}**" if text and "*" not in text else text for text in head]
        return {"type": "table", "rows": [[cell(text or " ", inserts) for text in row] for row in (bold, *rows)]}


def parts(text: str) -> Iterator[str | MarkdownTable]:
    """Yield the text around the first table, and that table; further ones, and one that is too large, become code."""
    lines, lines_before = text.split("\n"), list[str]()
    has_table = is_code = False
    at = 0
    while at < len(lines):
        is_code = is_code != bool(_FENCE.match(lines[at]))
        count = 0 if is_code else _count(lines[at:])
        if not count:
            lines_before.append(lines[at])
            at += 1
            continue
        table = _table(lines[at : at + count])
        if has_table or not _fits_limits(table):
            lines_before += ["```", *lines[at : at + count], "```"]
        else:
            if "\n".join(lines_before).strip():
                yield "\n".join(lines_before).strip("\n")
            yield table
            has_table, lines_before = True, []
        at += count
    if "\n".join(lines_before).strip() or not has_table:
        yield "\n".join(lines_before).strip("\n") if has_table else "\n".join(lines_before)


def _count(lines: list[str]) -> int:
    """Count the leading lines that form one table."""
    if len(lines) < 2 or not _ROW.match(lines[0]) or not TABLE_RULE.match(lines[1]):
        return 0
    return next((n for n, line in enumerate(lines) if not _ROW.match(line)), len(lines))


def _table(lines: list[str]) -> MarkdownTable:
    rows = [
        [cell_text.strip().replace("\\|", "|") for cell_text in _CELLS.findall(line.strip()[1:-1].replace("||", "| |"))]
        for line in (lines[0], *lines[2:])
    ]
    width = max(map(len, rows))
    return MarkdownTable(tuple((*row, *[""] * (width - len(row))) for row in rows))


def _fits_limits(table: MarkdownTable) -> bool:
    size = sum(len(text) for row in table.rows for text in row)
    return len(table.rows) <= ROWS and len(table.rows[0]) <= COLUMNS and size <= LONGEST
