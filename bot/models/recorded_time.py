"""Times as records and saved objects have them: ISO 8601 with an offset."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def parse_time(value: Any) -> datetime | None:
    """Parse a recorded time; `None` for anything else, also for a time without an offset."""
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else None
