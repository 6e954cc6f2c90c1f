"""Room of an answer: as many rows as Slack shows well, all of them in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.interaction import Asker

MAX_CHARS = 3_100
"""Characters of the rows of one answer in Slack."""


def fit_rows(rows: Sequence[str], asker: Asker) -> list[str]:
    """Return as many rows, from the first on, as one answer has room for."""
    room = MAX_CHARS
    for number, row in enumerate(rows):
        room -= len(row) + 1
        if room < 0 and asker.via != "cli":
            return [*rows[:number]]
    return [*rows]
