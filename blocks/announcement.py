"""A report of the bot's own, such as the morning brief: a line and lists below it, within Slack's limits at any
length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.text import SECTION, clip, context, section, size

if TYPE_CHECKING:
    from blocks.text import Block

SHOWN = 10
"""Rows of a part that are shown; the others are counted."""
MAX_PARTS = 12
MAX_CHARS = 11_000
"""Characters of all blocks as JSON; Slack takes some 13,000 a message."""
_BUDGETS = (SECTION - 250, 1_600, 800, 300)
"""Characters of the rows of one part: as many as the whole message takes."""


@dataclass(frozen=True)
class Part:
    """A list under its title. The rows are mrkdwn whose variable parts are escaped."""

    title: str
    rows: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The rows that are shown, and how many are not."""
        more = len(self.rows) - SHOWN
        return (*self.rows[:SHOWN], f"… and {more} more.") if more > 0 else self.rows


@dataclass(frozen=True, kw_only=True)
class Bulletin:
    """The whole report, as mrkdwn whose variable parts are escaped."""

    line: str
    parts: tuple[Part, ...] = ()
    note: str = ""
    """A small line at the end."""

    @property
    def rows(self) -> tuple[str, ...]:
        """All that stands below the line, one item a row."""
        return tuple(row for part in self.parts for row in (f"*{part.title}*", *(f"• {row}" for row in part.shown)))


def bulletin(said: Bulletin) -> dict[str, Any]:
    """The arguments `text` and `blocks` of a message, with as many rows as it takes."""
    blocks: list[Block] = []
    for budget in _BUDGETS:
        blocks = [section(said.line), *(_part(part, budget) for part in said.parts[:MAX_PARTS])]
        if size(blocks) <= MAX_CHARS:
            break
    return {
        "text": clip(said.line, SECTION),
        "blocks": [*blocks, context(clip(said.note, 200))] if said.note else blocks,
    }


def _part(part: Part, left: int) -> Block:
    """At most `left` characters of rows. Whole rows only, since half of one could break a link off."""
    rows = [f"*{clip(part.title, 200)}*"]
    for number, row in enumerate(part.shown):
        left -= len(row) + 3
        if left < 0:
            rows.append(f"… and {len(part.rows) - number} more.")
            break
        rows.append(f"• {row}" if number < SHOWN else row)
    return section("\n".join(rows))
