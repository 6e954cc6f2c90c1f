"""Engine with a fallback: the agents on a model, else the keyword engine, once.

The report has the reason for the fallback, which the card shows, and the text of a run that ended without an answer.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.endings import why_of
from bot.errors import Fenced, Stopped, TriageError

if TYPE_CHECKING:
    from bot.models.findings import Assignment, EngineReport
    from bot.ports.outbound import Engine

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class FallbackEngine:
    """Engine that runs `first`, and `second` when that comes to no answer."""

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
        except Fenced:  # another worker has the run
            raise
        except TriageError as problem:
            why, kind, notes = str(problem), why_of(problem), problem.unchecked_notes
        log.warning("the %s engine answers instead of the %s engine: %s", self.second.name, self.first.name, why)
        try:
            report = await self.second.investigate(assignment)
        except TriageError as problem:
            both = f"{why}; the {self.second.name} engine has no answer either: {problem}"
            stopped = Stopped(both, why=kind or "")
            stopped.unchecked_notes = notes
            raise stopped from problem
        return report.evolve(fallback=why, fallback_why=kind, unchecked_notes=notes)
