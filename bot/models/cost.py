"""Sums of the costs of runs, with their known, unsure and unknown parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.run_figures import RunFigures
    from bot.models.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Cost of some runs."""

    usd: float = 0.0
    """Maximum cost of those whose cost has a known maximum, in US dollars."""
    unsure_usd: float = 0.0
    """Part of it that no server has reported, or that is only held."""
    unknown_runs: int = 0
    """Number of runs whose cost has no known maximum; they add nothing."""

    @property
    def known_usd(self) -> float:
        """Return the reported part."""
        return max(0.0, round(self.usd - self.unsure_usd, 6))

    @property
    def most_usd(self) -> float | None:
        """Return the maximum in US dollars; `None` if no run has a known one."""
        return None if self.unknown_runs and not self.usd else self.usd

    def minus(self, before: Cost) -> Cost:
        """Return the cost since an earlier state of the same sum."""
        return Cost(
            usd=round(self.usd - before.usd, 6),
            unsure_usd=round(self.unsure_usd - before.unsure_usd, 6),
            unknown_runs=self.unknown_runs - before.unknown_runs,
        )


def sum_sessions(sessions: Iterable[Session]) -> Cost:
    """Sum the costs of sessions, running ones included."""
    parts = [(session.cost_usd or 0.0, session.spent_usd, session.cost_usd is None) for session in sessions]
    return Cost(
        usd=round(sum(spent for _, spent, _ in parts), 6),
        unsure_usd=round(sum(spent - known for known, spent, _ in parts), 6),
        unknown_runs=sum(is_unknown and not spent for _, spent, is_unknown in parts),
    )


def sum_figures(runs: Iterable[RunFigures]) -> Cost:
    """Sum the costs of ended runs by their figures."""
    parts = [(run.unsure_usd if run.cost_usd is None else run.cost_usd, run) for run in runs]
    return Cost(
        usd=round(sum(usd for usd, _ in parts), 6),
        unsure_usd=round(sum(run.unsure_usd for _, run in parts), 6),
        unknown_runs=sum(run.cost_usd is None and not usd for usd, run in parts),
    )
