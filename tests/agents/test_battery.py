"""The short form of the battery: some of its rows, of most kinds."""

from __future__ import annotations

import pytest

from measure.battery.row import Row
from measure.battery.rows import all_rows, few_rows
from measure.battery.run import run_row


def test_the_battery_has_its_rows() -> None:
    """At least 150, and no two with one name."""
    names = [(row.kind, row.name) for row in all_rows()]
    assert len(names) == len(set(names)) >= 150


@pytest.mark.parametrize("row", few_rows(), ids=lambda row: f"{row.kind}: {row.name}")
async def test_a_row_ends_as_it_must(row: Row) -> None:
    """In time, with its cause, all paid text and its cost."""
    assert (await run_row(row)).faults == ()
