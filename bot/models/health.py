"""Health of a running bot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

STALE = timedelta(seconds=45)
"""Age of the last sign of life from which a bot counts as hung."""

Role = Literal["bot", "standby", "worker"]
"""What a process does: all of the work, or as a replica takes in until it leads, or only investigates."""

_WORK: dict[Role, str] = {
    "bot": "connected to Slack",
    "standby": "connected to Slack; it stands by, and does not lead",
    "worker": "investigates for the replicas; it needs no Slack",
}


@dataclass(frozen=True)
class Health:
    """The last status report of a running process."""

    at: datetime
    pid: int
    connected: bool
    """True if it is connected to Slack, or needs no connection."""
    role: Role = "bot"
    is_database_away: bool = False
    """True if the database of a replica does not answer."""
    searches: str = ""
    """State of the search processes, in a line."""
    problems: tuple[str, ...] = ()
    """Access problems in Slack with their remedies, and the error that ended the bot."""

    @property
    def fault(self) -> str:
        """Return why the process cannot work; empty if it can."""
        if self.is_database_away:
            return "the database does not answer"
        return "" if self.connected else "not connected to Slack"

    @property
    def work(self) -> str:
        """Return what the process does."""
        return _WORK[self.role]
