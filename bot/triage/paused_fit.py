"""Paused fit: check whether a paused project fits a question better than the project that answers it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.tools.trees import pinned

if TYPE_CHECKING:
    from bot.models.findings import Assignment, EngineReport
    from bot.ports.outbound import Engine
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PausedFit:
    """Search in all projects including paused ones, for questions without a project; skipped while none is paused."""

    scout: Engine
    """Keyword engine."""
    projects: Projects

    async def of(self, assignment: Assignment, report: EngineReport) -> str | None:
        """Return the name of the paused project that fits better, or `None`; nothing of its content is used."""
        there = self.projects.open()
        paused = [project for project in self.projects.all() if project not in there]
        if not paused or {one.name for one in assignment.projects} != {one.name for one in there}:
            return None  # the question has a project
        try:
            found = await self.scout.investigate(
                assignment.evolve(projects=(*assignment.projects, *map(pinned, paused)))
            )
        except TriageError as problem:
            log.warning("whether a paused project fits better is not known: %s", problem)
            return None
        best = next((project for project in paused if project.name == found.project), None)
        return best.belongs_to if best and not found.found_nothing and report.project != found.project else None
