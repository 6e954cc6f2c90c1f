"""Counter of the costs of runs, such as those of a day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.cost import Cost, sum_sessions

if TYPE_CHECKING:
    from bot.models.session import Session


class CostCounter:
    """Sum of costs as they are booked, to a millionth of a dollar."""

    def __init__(self) -> None:
        self.usd = self._unsure = 0.0
        self._unknown: set[str] = set()
        self.by_agent: dict[str, float] = {}
        """US dollars by agent."""

    def add(self, session: Session, usd: float, *, unsure_usd: float = 0.0) -> None:
        """Add a booked cost of a session, and the part of it that is only its maximum."""
        self.usd = round(self.usd + usd, 6)
        self.by_agent[session.agent] = round(self.by_agent.get(session.agent, 0.0) + usd, 6)
        self._unsure = round(self._unsure + unsure_usd, 6)

    def add_session(self, session: Session) -> None:
        """Add a whole session."""
        cost = sum_sessions([session])
        self.add(session, cost.usd, unsure_usd=cost.unsure_usd)
        if cost.unknown_runs:
            self.add_unknown(session)

    def add_unknown(self, session: Session) -> None:
        """Count a session as one of unknown cost; each counts once."""
        self._unknown.add(session.session_id)

    def read(self, *, held_usd: float = 0.0) -> Cost:
        """Return the sum, with money that is held for runs under way."""
        return Cost(
            usd=round(self.usd + held_usd, 6),
            unsure_usd=round(self._unsure + held_usd, 6),
            unknown_runs=len(self._unknown),
        )
