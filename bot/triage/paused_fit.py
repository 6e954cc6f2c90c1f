"""Paused fit: check whether a paused project fits a question better than the project that answers it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.tools.trees import pin_tree

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

    async def find_better(self, assignment: Assignment, report: EngineReport) -> str | None:
        """Return the name of the paused project that fits better, or `None`; nothing of its content is used."""
        open_projects = self.projects.open()
        paused = [project for project in self.projects.list_all() if project not in open_projects]
        if not paused or {candidate.name for candidate in assignment.projects} != {
            candidate.name for candidate in open_projects
        }:
            return None  # the question has a project
        try:
            report_of_all = await self.scout.investigate(
                assignment.evolve(projects=(*assignment.projects, *map(pin_tree, paused)))
            )
        except TriageError as problem:
            log.warning("whether a paused project fits better is not known: %s", problem)
            return None
        best = next((project for project in paused if project.name == report_of_all.project), None)
        return (
            best.belongs_to
            if best and not report_of_all.found_nothing and report.project != report_of_all.project
            else None
        )
