"""Port of the threads that wait for a decision, for reminders."""

from __future__ import annotations

from typing import Protocol


class WaitingThreads(Protocol):
    """Threads that wait for a decision, by operator (`bot.triage.open_threads.OpenThreads`)."""

    def list_undecided(self, operator: str) -> list[str]:
        """Return the ids of the threads that wait for this operator's decision, oldest first."""

    def waits_for(self, operator: str) -> bool:
        """Return whether any thread waits for this operator's decision."""
