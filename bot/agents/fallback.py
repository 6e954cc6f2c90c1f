"""Engine with a fallback: the agents on a model, else the keyword engine, once.

The report has the reason for the fallback, and the card shows it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.endings import why_of
from bot.errors import NoKey, OverCap, Stopped, TriageError, Unreachable

if TYPE_CHECKING:
    from bot.models.findings import Assignment, EngineReport
    from bot.ports.outbound import Engine

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class FallbackEngine:
    """Engine that runs `first`, and `second` when the model is unreachable, over a spending cap, or has no key."""

    first: Engine
    second: Engine

    @property
    def name(self) -> str:
        """Return the name of the first engine."""
        return self.first.name

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Return the findings of one of the two engines. Raises `TriageError` when neither has any."""
        try:
            return await self.first.investigate(assignment)
        except (Unreachable, OverCap, NoKey) as problem:
            why, kind = str(problem), why_of(problem)
        log.warning("the %s engine answers instead of the %s engine: %s", self.second.name, self.first.name, why)
        try:
            report = await self.second.investigate(assignment)
        except TriageError as problem:
            both = f"{why}; the {self.second.name} engine has no answer either: {problem}"
            raise Stopped(both, why=kind or "") from problem
        return report.evolve(fallback=why, fallback_why=kind)
