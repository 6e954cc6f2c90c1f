"""Choice of a project for a question that no rule routes: as the keyword engine makes it, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.agents.keyword import is_named
from bot.decide.router import unrouted
from bot.models.findings import Assignment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.findings import EngineReport
    from bot.models.project import Project
    from bot.models.route import Route
    from bot.ports.outbound import Engine

MOST_PLACES = 3
"""Places that a reason names."""


async def choose_project(scout: Engine, question: str, search_text: str, projects: Sequence[Project]) -> Route | None:
    """Return the route to the best match among projects; `None` without any. Raises as `Engine` does."""
    if not projects:
        return None
    if len({project.belongs_to for project in projects}) == 1:
        return unrouted(projects[0].belongs_to, "the only one")
    report = await scout.investigate(Assignment(question=question, search_text=search_text, projects=tuple(projects)))
    return unrouted(report.project or projects[0].name, _explain(report, search_text))


def _explain(report: EngineReport, text: str) -> str:
    """Say why the engine has chosen the project, in the order of its criteria."""
    if is_named(report.project, text.lower()):
        return "its name in the message"
    places = ", ".join(reference.ref for reference in report.findings.evidence_refs[:MOST_PLACES])
    if not report.found_nothing:
        return f"the best match of its words: {places}"
    nearest = f"; nearest: {places}" if places else ""
    return f"the words in its files, name and description, since no place answers the question{nearest}"
