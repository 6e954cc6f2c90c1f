"""Announcement, such as the morning brief: a headline and lists below it, within Slack's limits at any length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.text import SECTION, clip, context, section, size

if TYPE_CHECKING:
    from blocks.text import Block

MAX_ROWS = 10
"""Rows shown of one part; the others are counted."""
MAX_PARTS = 12
MAX_CHARS = 11_000
"""Characters of all blocks as JSON; Slack takes some 13,000 a message."""
_BUDGETS = (SECTION - 250, 1_600, 800, 300)
"""Character budgets for the rows of one part, tried in turn until the message fits."""


@dataclass(frozen=True)
class Part:
    """A list under its title. The rows are mrkdwn whose variable parts are escaped."""

    title: str
    rows: tuple[str, ...]

    @property
    def listed_rows(self) -> tuple[str, ...]:
        """Return the rows to show, and a count of the others."""
        hidden = len(self.rows) - MAX_ROWS
        return (*self.rows[:MAX_ROWS], f"… and {hidden} more.") if hidden > 0 else self.rows


@dataclass(frozen=True, kw_only=True)
class Announcement:
    """The announcement, as mrkdwn with escaped variable parts."""

    line: str
    parts: tuple[Part, ...] = ()
    note: str = ""
    """A small line at the end."""

    @property
    def rows(self) -> tuple[str, ...]:
        """Return all lines below the headline, one item each."""
        return tuple(
            row for part in self.parts for row in (f"*{part.title}*", *(f"• {row}" for row in part.listed_rows))
        )


def build_announcement(announcement: Announcement) -> dict[str, Any]:
    """Build the `text` and `blocks` of a message, with as many rows as fit."""
    blocks: list[Block] = []
    for budget in _BUDGETS:
        blocks = [section(announcement.line), *(_part(part, budget) for part in announcement.parts[:MAX_PARTS])]
        if size(blocks) <= MAX_CHARS:
            break
    return {
        "text": clip(announcement.line, SECTION),
        "blocks": [*blocks, context(clip(announcement.note, 200))] if announcement.note else blocks,
    }


def _part(part: Part, left: int) -> Block:
    """Build a part of at most `left` characters. Only whole rows, since cutting one could break a link."""
    rows = [f"*{clip(part.title, 200)}*"]
    for number, row in enumerate(part.listed_rows):
        left -= len(row) + 3
        if left < 0:
            rows.append(f"… and {len(part.rows) - number} more.")
            break
        rows.append(f"• {row}" if number < MAX_ROWS else row)
    return section("\n".join(rows))
