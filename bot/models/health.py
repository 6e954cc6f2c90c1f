"""Health of a running bot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

STALE = timedelta(seconds=45)
"""Age of the last sign of life from which a bot counts as hung."""


@dataclass(frozen=True)
class Health:
    """The last status report of a running bot."""

    at: datetime
    pid: int
    connected: bool
    searches: str = ""
    """State of the search processes, in a line."""
    problems: tuple[str, ...] = ()
    """Access problems in Slack with their remedies, and the error that ended the bot."""
