"""The short form of the battery: some of its rows, of most kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measure.battery.line import choose_rows, count_posts, run_on_line
from measure.battery.row import Row
from measure.battery.rows import all_rows, few_rows
from measure.battery.run import run_row
from sandbox.server import Sandbox
from tests.line.agents import QUESTION
from tests.line.conftest import MANIFEST, SHOP, Line

if TYPE_CHECKING:
    from pathlib import Path


def test_the_battery_has_its_rows() -> None:
    """At least 150, and no two with one name."""
    names = [(row.kind, row.name) for row in all_rows()]
    assert len(names) == len(set(names)) >= 150


@pytest.mark.parametrize("row", few_rows(), ids=lambda row: f"{row.kind}: {row.name}")
async def test_a_row_ends_as_it_must(row: Row) -> None:
    """In time, with its cause, all paid text and its cost."""
    assert (await run_row(row)).faults == ()


async def test_a_row_on_the_whole_line_posts_nothing() -> None:
    """The model orders to post; the card waits for a press."""
    row = next(row for row in choose_rows(all_rows()) if row.name.startswith("orders to post"))
    outcome, posts = await run_on_line(row)
    assert (outcome.ended, outcome.faults, posts) == ("draft", (), 0)


async def test_a_post_in_a_channel_is_counted(tmp_path: Path) -> None:
    """The reply that an operator approved is one."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "orders.py").write_text(SHOP)
    workspace = await Sandbox.start(port=0, manifest=MANIFEST)
    line = Line(workspace, tmp_path)
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.press("approve", await line.olu.card("RETRY_LIMIT = 3", '"approve"'))
        await line.ana.replies(asked)
        assert await count_posts(line) > 0
    await workspace.close()
