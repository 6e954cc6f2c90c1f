"""Indexes made ahead: the trees of all projects, one after the other, in a process of their own.

No question waits for this: until a tree is whole it is answered by ripgrep. The process ends when all is done.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.tools.index.ahead import Ahead, index_ahead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from bot.models.project import Project
    from bot.runtime.workers import Workers

log = logging.getLogger(__name__)

EVERY = 600.0
"""Seconds after which all trees are looked at again, though nobody asked."""


class Indexing:
    """The work of one bot on its indexes."""

    def __init__(self, workers: Workers, folder: Path, projects: Callable[[], Iterable[Project]]) -> None:
        """Index in one process like these, into a folder of indexes."""
        self._workers, self._folder, self._projects = workers.alike(most=1), folder, projects
        self._wanted: dict[str, Project] = {}
        self._asked = asyncio.Event()
        self.state = ""
        """What is indexed, and how far; empty where nothing is."""

    def ask(self, project: Project) -> None:
        """Have a tree looked at soon."""
        self._wanted.setdefault(project.name, project)
        self._asked.set()

    async def run(self) -> None:
        """Index all trees, then those that are asked for, and all again from time to time. It ends with its task."""
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
        """End the process; what it has written stays."""
        await self._workers.stop()

    async def _work(self) -> None:
        """Index what is asked for, one tree after the other."""
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
        while (made := await self._workers.run(index_ahead, Ahead(self._folder, project))).left:
            done = made.files - made.left
            self.state = f"indexing {project.name}, {done:,} of {made.files:,} files; ripgrep searches it until then"
