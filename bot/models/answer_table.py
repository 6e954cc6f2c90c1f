"""Figures of a command's answer as a table, drawn by Slack's table block and by a terminal."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact


class AnswerTable(Fact):
    """Table of plain words, without markup; a terminal shows it in place of the answer's rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    """Rows below the table, as mrkdwn."""
    align: Literal["left", "right"] = "right"
    """Alignment of all columns but the first."""
