"""Time of a journal's record, found in its line without parsing it."""

from __future__ import annotations

import re
from datetime import datetime

_WHEN = re.compile(rb'"(?:(?:received|classified|posted)_)?at":"([^"\\]{10,40})"')


def line_time(line: bytes) -> datetime | None:
    """Return the time of a record: received, classified, posted or done. The line is not parsed for it; within a text
    the quotes would be escaped."""
    if not (match := _WHEN.search(line)):
        return None
    try:
        at = datetime.fromisoformat(match[1].decode())
    except ValueError:
        return None
    return at if at.tzinfo else None
