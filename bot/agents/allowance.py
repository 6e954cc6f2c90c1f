"""Extra allowance of a day, as an admin gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import date


def read_allowance(day: date, record: dict[str, Any]) -> float:
    """Return the allowance saved for this day; 0 where the file has none."""
    usd = record.get("usd") if record.get("day") == day.isoformat() else None
    return float(usd) if isinstance(usd, int | float) and usd >= 0 else 0.0
