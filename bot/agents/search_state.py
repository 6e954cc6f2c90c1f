"""State of searching and indexing, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.agents.indexing import Indexing
    from bot.runtime.workers import Workers


@dataclass(frozen=True)
class SearchState:
    """Search processes and the indexing, where there are any."""

    workers: Workers | None = None
    indexing: Indexing | None = None

    def describe(self) -> str:
        """Return the state of both; empty without any."""
        return "; ".join(
            state for process in (self.workers, self.indexing) if process and (state := str(process.state))
        )
