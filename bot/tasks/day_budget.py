"""Day's budget, as far as created tasks wait for it: the agents' ledger, or nothing where no model is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.agents.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class DayBudget:
    """Money of today for created tasks. `ledger` is `None` where no agent works."""

    ledger: Ledger | None
    max_usd: float
    """Maximum cost of one task in US dollars."""
    least_usd: float
    """US dollars that the day must have left for a task to start."""

    @property
    def is_used_up(self) -> bool:
        """Return whether tasks wait for the next day, or for an admin who allows more."""
        return self.ledger is not None and round(self.ledger.cap - self.ledger.spent, 6) < self.least_usd

    @property
    def day_ends(self) -> datetime | None:
        """Return the beginning of the next day; `None` where nothing costs money."""
        return self.ledger.day_ends if self.ledger else None
