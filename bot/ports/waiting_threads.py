"""Protocol of the open threads, as far as reminders ask for them."""

from __future__ import annotations

from typing import Protocol


class WaitingThreads(Protocol):
    """Threads that wait for a decision, by operator."""

    def undecided(self, operator: str) -> list[str]:
        """Thread ids that wait for this operator's decision, the oldest first."""

    def waits_for(self, operator: str) -> bool:
        """Say if any thread waits for this operator's decision."""
