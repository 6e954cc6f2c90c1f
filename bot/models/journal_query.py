"""Query of a journal's newest records, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class JournalQuery:
    """Records of a time, the newest ones first. `matches` must accept any JSON object."""

    since: datetime
    before: datetime
    limit: int
    matches: Callable[[dict[str, Any]], bool]
    contains: tuple[str, ...] = ()
    """ASCII texts that a matching line contains, which spares parsing the others."""


@dataclass(frozen=True, kw_only=True)
class JournalPage:
    """Records that match, the newest first."""

    records: tuple[dict[str, Any], ...]
    has_more: bool = False
    """True if there are older ones that match."""
    read_back_to: datetime | None = None
    """Time of the oldest record that was read, if the search ended before `since`."""
