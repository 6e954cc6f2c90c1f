"""First look: a search in existing notes for each question, before any engine starts (spec 1, 5).

The engine gets the matches as places to look, not as the answer.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.models.knowledge import KnownPlace
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.tools.knowledge import Knowledge
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class FirstLook:
    """Search in the notes, fresh for each question."""

    knowledge: Knowledge
    projects: Projects
    redactor: Redactor

    async def look(self, thread: Thread, candidates: Sequence[Project]) -> tuple[KnownPlace, ...]:
        """Return matches for the question in the notes of the candidate projects, redacted.

        With external readers, shared notes of other projects are left out.
        """
        places: list[KnownPlace] = []
        names = {project.name for project in candidates}
        for project in (project for project in self.projects.list_all() if project.name in names):
            try:
                places += await self.knowledge.search(
                    thread.search_text,
                    project,
                    team_id=thread.team_id,
                    chat_id=thread.chat_id,
                    only=names if thread.external else None,
                )
            except TriageError as problem:
                log.warning("what is known of %s was not searched: %s", project.name, problem)
        unique = {place.ref: place for place in places}
        return tuple(place.evolve(said=self.redactor.redact(place.said)) for place in unique.values())
