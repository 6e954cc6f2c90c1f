"""All rows of the battery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measure.battery import answers, faults, others

if TYPE_CHECKING:
    from measure.battery.row import Row

STEP = 25
"""Of so many rows one is in the short form."""


def all_rows() -> list[Row]:
    """Return all rows."""
    return [*faults.rows(), *answers.rows(), *others.rows()]


def few_rows() -> list[Row]:
    """Return the rows of the short form: without those whose silence takes real time."""
    return [row for row in all_rows() if row.minutes >= 1 and not row.mcp][::STEP]
