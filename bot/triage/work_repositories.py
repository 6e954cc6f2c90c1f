"""Repositories that Triage works on: those of the projects, and those that commands added to them.

A project's own code counts if it is fetched from a repository, or if its folder is one; Triage works on a clone of it.
A folder within a larger repository does not count: the project reaches no further than its folder. Added ones are saved
in `repositories.json`, with the branch that each person has chosen.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.errors import Misconfigured, ToolError, Unreadable
from bot.models.project import Repository
from bot.models.repository_record import RepositoryRecords, StoredRepository
from bot.models.workspace import WorkRepository
from bot.tools.git_folder import git_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.models.project import Project
    from bot.models.workspace import RepositoryKind
    from bot.ports.outbound import JsonFile
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

MAX_CHOICES = 1_000
"""Number of chosen branches that are remembered; the oldest is dropped first."""


@dataclass(kw_only=True)
class WorkRepositories:
    """Registry of the repositories of projects. `locate` validates the address of an added one, and may raise
    `Misconfigured`; `below` are the folders in which those of created projects must lie."""

    file: JsonFile
    projects: Projects
    locate: Callable[[str, str], Repository]
    below: tuple[Path, ...] = ()
    problem: str = ""
    """Reason why the file could not be read at this start; it was moved away."""
    _records: RepositoryRecords = field(default_factory=RepositoryRecords)
    _saving: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """Load the saved repositories; an unreadable file is set aside."""
        try:
            self._records = RepositoryRecords.model_validate(await self.file.read_whole())
        except (Unreadable, ValidationError) as broken:
            backup = await self.file.set_aside()
            self.problem = f"the repositories added by commands could not be read, and were moved to {backup}"
            log.error("%s: %s", self.problem, type(broken).__name__)

    async def list_for(self, project: str) -> tuple[WorkRepository, ...]:
        """Return the repositories of a project: its own first, then those that commands added, in their order."""
        own = await asyncio.gather(
            *(asyncio.to_thread(self._find_own, part) for part in self.projects.roots_of(project))
        )
        added = [self._build(name, stored) for name, stored in self._added_to(project).items()]
        return tuple(repository for repository in (*own, *added) if repository)

    async def get(self, name: str) -> WorkRepository:
        """Return the repository of exactly this name. Raises `ToolError` if it is gone."""
        for repository in await self.list_for(name.partition("/")[0]):
            if repository.name == name:
                return repository
        raise ToolError(f"the repository {name} is no longer there")

    def find_problems(self, project: str) -> dict[str, str]:
        """Return the reason for each added repository that cannot be used now, such as a host that is not allowed any
        more."""
        problems = {}
        for name, stored in self._added_to(project).items():
            try:
                self._locate(stored)
            except Misconfigured as problem:
                problems[name] = str(problem)
        return problems

    def is_added(self, name: str) -> bool:
        """Return whether a command added the repository of this name."""
        return name in self._records.repositories

    def find_added(self, name: str) -> WorkRepository | None:
        """Return the repository that a command added by this name, also one whose address is not allowed any more."""
        stored = self._records.repositories.get(name)
        if stored is None:
            return None
        origin = None if stored.kind == "init" else Repository(url=stored.address, branch=stored.branch)
        project = name.partition("/")[0]
        return self._build(name, stored) or WorkRepository(name=name, project=project, kind=stored.kind, origin=origin)

    def list_added(self, project: str) -> dict[str, WorkRepository]:
        """Return what commands have added to a project, as `find_added` does, by name in small letters."""
        found = {name.lower(): self.find_added(name) for name in self._added_to(project)}
        return {name: repository for name, repository in found.items() if repository}

    def check(self, name: str, stored: StoredRepository) -> WorkRepository:
        """Return the repository that would be added. Raises `Misconfigured` if it may not be."""
        origin = self._locate(stored)
        own = (part.name for part in self.projects.configured())
        if name.lower() in map(str.lower, (*own, *self._records.repositories)):
            raise Misconfigured(f"the name {name} is taken: give another one as name=")
        return WorkRepository(name=name, project=name.partition("/")[0], kind=stored.kind, origin=origin)

    async def add(self, name: str, stored: StoredRepository) -> WorkRepository:
        """Save a repository; it counts from now on. Raises `Misconfigured`, and `RetryLater` if it is not saved."""
        repository = self.check(name, stored)
        await self._save(repositories={**self._records.repositories, name: stored})
        return repository

    async def remove(self, name: str) -> None:
        """Remove an added repository with the choices of its branches. Raises `RetryLater` if that is not saved."""
        await self._remove(lambda other: other == name)

    async def remove_project(self, project: str) -> None:
        """Remove all that commands have added to a project, and its choices of branches. Raises `RetryLater`."""
        await self._remove(lambda name: name.partition("/")[0] == project)

    async def _remove(self, is_gone: Callable[[str], bool]) -> None:
        repositories, choices = self._records.repositories, self._records.choices
        await self._save(
            repositories={name: stored for name, stored in repositories.items() if not is_gone(name)},
            choices={key: slug for key, slug in choices.items() if not is_gone(key.partition(" ")[2])},
        )

    def find_branch(self, user: str, repository: str) -> str | None:
        """Return the branch that a person has chosen in a repository, empty for the default one; `None` for no
        choice."""
        return self._records.choices.get(f"{user} {repository}")

    async def choose_branch(self, user: str, repository: str, slug: str) -> None:
        """Save the branch that a person works on, empty for the default one. Raises `RetryLater`."""
        key = f"{user} {repository}"
        choices = {other: each for other, each in self._records.choices.items() if other != key} | {key: slug}
        for oldest in [*choices][: max(0, len(choices) - MAX_CHOICES)]:
            del choices[oldest]
        await self._save(choices=choices)

    def _added_to(self, project: str) -> dict[str, StoredRepository]:
        stored = self._records.repositories.items()
        return {name: each for name, each in stored if name.partition("/")[0] == project}

    def _build(self, name: str, stored: StoredRepository) -> WorkRepository | None:
        """Return an added repository; `None` if its address is not allowed any more."""
        try:
            origin = self._locate(stored)
        except Misconfigured:
            return None
        return WorkRepository(name=name, project=name.partition("/")[0], kind=stored.kind, origin=origin)

    def _locate(self, stored: StoredRepository) -> Repository | None:
        return self.locate(stored.address, stored.branch) if stored.kind != "init" else None

    def _find_own(self, part: Project) -> WorkRepository | None:
        """Return the repository of a project's code; `None` if it is none. Blocking."""
        kind: RepositoryKind = "clone"
        origin = part.repository
        if origin is None:
            try:
                folder = git_folder(part.root)
            except (ToolError, OSError):
                return None
            if folder is None or folder.top != part.root.resolve():
                return None
            below = None if self.projects.is_of_settings(part.belongs_to) else self.below
            kind, origin = "link", Repository(url=str(folder.top), below=below)
        return WorkRepository(name=part.name, project=part.belongs_to, kind=kind, origin=origin)

    async def _save(self, **changes: object) -> None:
        async with self._saving:
            records = self._records.evolve(**changes)
            await self.file.write(records.model_dump(mode="json"))
            self._records = records
