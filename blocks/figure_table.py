"""Table of figures as Slack's table block; the terminal shows the same as lines.

Slack accepts one table in a message, with 100 rows, 20 columns and 10,000 characters
(https://docs.slack.dev/reference/block-kit/blocks/table-block).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.tables import COLUMNS, LONGEST, ROWS
from blocks.text import clip, size
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blocks.text import Block

_CELL = 100
"""Characters of one cell."""
_NONE = "-"


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, of: int = 0, room: int = LONGEST, align: str = "right"
) -> Block:
    """Build the table from plain words, without markup; `align` applies to all columns but the first.

    Rows are kept up to Slack's limits and `room` characters of JSON; a last row counts the others, of those given or of
    `of`.
    """
    first, *lines = [[_cell(words) for words in row[:COLUMNS]] for row in (head, *rows)]
    room -= 2 * size(first)
    count = 0
    while count < len(lines) and count < ROWS - 2 and size(lines[count]) <= room:
        room -= size(lines[count])
        count += 1
    left = max(of, len(lines)) - count
    last_row = [[_cell(f"… and {left} more"), *(_cell("") for _ in first[1:])]] if left else []
    settings: list[Block] = [{"is_wrapped": True}, *({"align": align} for _ in first[1:])]
    return {"type": "table", "rows": [first, *lines[:count], *last_row], "column_settings": settings}


def _cell(words: str) -> Block:
    return {"type": "raw_text", "text": clip(" ".join(clean(words).split()), _CELL) or _NONE}
