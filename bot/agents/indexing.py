"""Background indexing of all projects, one after the other, in a separate process.

No question waits for it: until an index is complete, ripgrep searches instead. The process ends when all is done.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.tools.index.ahead import IndexRequest, index_ahead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from bot.models.project import Project
    from bot.runtime.workers import Workers

log = logging.getLogger(__name__)

EVERY = 600.0
"""Seconds between two checks of all indexes."""


class Indexing:
    """Background indexing of one bot's projects."""

    def __init__(self, workers: Workers, folder: Path, projects: Callable[[], Iterable[Project]]) -> None:
        """Use one worker process with the settings of `workers`, and write the indexes into `folder`."""
        self._workers, self._folder, self._projects = workers.clone(max_workers=1), folder, projects
        self._wanted: dict[str, Project] = {}
        self._asked = asyncio.Event()
        self.state = ""
        """Progress of the current work; empty when idle."""

    def ask(self, project: Project) -> None:
        """Request that a project is indexed soon."""
        self._wanted.setdefault(project.name, project)
        self._asked.set()

    async def run(self) -> None:
        """Index all projects, then requested ones, and check all again at intervals. Runs until cancelled."""
        while True:
            for project in self._projects():
                self.ask(project)
            until = asyncio.get_running_loop().time() + EVERY
            with suppress(TimeoutError):
                while True:
                    await self._work()
                    async with asyncio.timeout_at(until):
                        await self._asked.wait()

    async def stop(self) -> None:
        """Stop the worker process; written indexes stay."""
        await self._workers.stop()

    async def _work(self) -> None:
        """Index the requested projects, one after the other."""
        self._asked.clear()
        while self._wanted:
            project = self._wanted.pop(next(iter(self._wanted)))
            try:
                await self._index(project)
            except TriageError as problem:
                log.warning("%s is not indexed: %s", project.name, problem)
            except Exception:  # a question is answered without an index; the bot goes on
                log.exception("%s is not indexed", project.name)
            finally:
                self.state = ""
        await self._workers.stop()

    async def _index(self, project: Project) -> None:
        while (progress := await self._workers.run(index_ahead, IndexRequest(self._folder, project))).left:
            done = progress.files - progress.left
            self.state = (
                f"indexing {project.name}, {done:,} of {progress.files:,} files; ripgrep searches it until then"
            )
