"""Runs of project searches, in worker processes or in threads of this process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.agents.project_search import search_project

if TYPE_CHECKING:
    from bot.agents.indexing import Indexing
    from bot.agents.project_search import ProjectMatches, ProjectRequest
    from bot.runtime.workers import Workers

_PATIENCE = 2.0
"""Seconds that a question spends on building an index where no other process builds it."""


@dataclass(frozen=True)
class SearchRunner:
    """Searches in `workers`, without them in threads. With `indexing` no question builds an index, or waits for one."""

    workers: Workers | None = None
    indexing: Indexing | None = None

    async def search(self, request: ProjectRequest) -> ProjectMatches:
        """Search one project, and ask for a new index where the old one is behind."""
        request = replace(request, patience=0.0 if self.indexing else _PATIENCE)
        if self.workers is None:
            return await asyncio.to_thread(search_project, request)
        matches = await self.workers.run(search_project, request, key=str(request.project.root))
        if matches.is_outdated and self.indexing:
            self.indexing.ask(request.project)
        return matches
