"""Figures as Slack's table block."""

from __future__ import annotations

import random

import pytest

from blocks.figure_table import table
from blocks.text import section, size
from sandbox.blockkit import checked_blocks
from tests.blocks.scripts import SCRIPTS, text


def cells(block: dict[str, object]) -> list[list[str]]:
    """What stands in it."""
    return [[cell["text"] for cell in row] for row in block["rows"]]  # type: ignore[attr-defined]  # a table: its rows are lists of cells


def test_a_table_holds_its_figures() -> None:
    """The head first; nothing in a cell is markup, and an empty one shows a dash."""
    made = table(("Project", "Runs"), [("<!channel> *shop*", "1,200"), ("", "0")])
    checked_blocks([made])
    assert cells(made) == [["Project", "Runs"], ["<!channel> *shop*", "1,200"], ["-", "0"]]
    assert made["column_settings"][1] == {"align": "right"}


@pytest.mark.parametrize(
    ("script", "rows"),
    [
        (script, rows) if script == "mentions" or rows == 99 else pytest.param(script, rows, marks=pytest.mark.long)
        for script in SCRIPTS
        for rows in (0, 1, 20, 98, 99, 500)
    ],
)
def test_slack_takes_a_table_of_any_size(script: str, rows: int) -> None:
    """Of names of 3,000 characters in any script: what does not fit is counted in the last row."""
    chance = random.Random(f"{script} {rows}")
    for length in (1, 3_000):
        given = [(text(script, length, chance), *("1,234,567" for _ in range(6))) for _ in range(rows)]
        made = table(("Project", *"abcdef"), given)
        blocks = [section("The last day."), made]
        checked_blocks(blocks)
        assert size(blocks) < 13_000
        shown = cells(made)[1:]
        hidden = int(shown.pop()[0].split()[2]) if shown and shown[-1][0].startswith("… and") else 0
        assert len(shown) + hidden == rows


def test_columns_beyond_slacks_limit_are_left_out() -> None:
    """Twenty are taken."""
    made = table([f"c{n}" for n in range(25)], [["1"] * 25])
    checked_blocks([made])
    assert [len(row) for row in made["rows"]] == [20, 20]
