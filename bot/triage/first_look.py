"""The first look: on the day's first question what is known already is searched before any engine starts (spec 1, 5).

Called by `triage/effects`. The places go to the engine with the question, as places to look and not as the answer.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from bot.decide.redact import Redactor
    from bot.models.knowledge import KnownPlace
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.tools.knowledge import Knowledge

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class FirstLook:
    """Looks once a day (UTC), and again for another draft of the same question; after a restart once more."""

    knowledge: Knowledge
    projects: Callable[[], tuple[Project, ...]]
    redactor: Redactor
    _first: tuple[date, str] | None = None

    async def look(self, thread: Thread, at: datetime) -> tuple[KnownPlace, ...]:
        """Earlier answers to this question, redacted; none when it is not the day's first one."""
        if self._first is None or self._first[0] != at.date():
            self._first = (at.date(), thread.thread_id)
        if self._first[1] != thread.thread_id:
            return ()
        found: list[KnownPlace] = []
        for project in self.projects():
            try:
                found += await self.knowledge.search(
                    thread.search_text, project, team_id=thread.team_id, chat_id=thread.chat_id
                )
            except TriageError as problem:
                log.warning("what is known of %s was not searched: %s", project.name, problem)
        unique = {place.ref: place for place in found}
        return tuple(place.evolve(said=self.redactor.redact(place.said)) for place in unique.values())
