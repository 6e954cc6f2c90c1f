"""Repositories of projects: `add_repo`, `list_repos`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.registry import command
from bot.commands.repository_inputs import NewRepository, OfRepository
from bot.commands.state import count
from bot.errors import Misconfigured, RetryLater
from bot.models.command_data.repositories import RepositoriesData, RepositoryData
from bot.models.repository_record import StoredRepository

if TYPE_CHECKING:
    from bot.commands.repository_finder import RepositoryFinder
    from bot.models.interaction import Asker
    from bot.models.workspace import WorkRepository
    from bot.ports.outbound import Clock
    from bot.triage.work_repositories import WorkRepositories

_KINDS = {"clone": "cloned from", "link": "a clone of the folder", "init": "begun empty here, without a remote"}
_ENDS = re.compile(r"^[^A-Za-z0-9]+|[^A-Za-z0-9._-]+")


@dataclass(frozen=True, kw_only=True)
class RepositoryCommands:
    """Commands on repositories."""

    finder: RepositoryFinder
    clock: Clock

    async def preview_add(self, request: NewRepository, asker: Asker) -> str:
        """Show the name, the address or the folder, and what is done with it."""
        name, stored = self._plan(request, asker)
        try:
            repository = self._repositories.check(name, stored)
        except Misconfigured as problem:
            raise _reject(problem) from problem
        how = {
            "clone": f"clone `{escape(repository.address)}`",
            "link": f"clone the folder `{escape(repository.address)}`, which stays as it is",
            "init": "make an empty repository in Triage's home",
        }
        return f"It would {how[request.source]} as the repository `{name}`."

    @command(
        "add_repo",
        "adds a git repository to a project",
        input=NewRepository,
        role="admin",
        tier="reversible",
        deed="a repository was added to a project",
        needs_press=True,
        preview=preview_add,
    )
    async def add_repo(self, request: NewRepository, asker: Asker) -> CommandAnswer:
        """Save a repository, then clone it; one that cannot be cloned is not kept."""
        name, stored = self._plan(request, asker)
        try:
            repository = await self._repositories.add(name, stored)
        except Misconfigured as problem:
            raise _reject(problem) from problem
        try:
            branches = await self.finder.allow(self.finder.workspaces.branches(repository))
        except (NotDone, RetryLater) as problem:
            await self._repositories.remove(name)
            await self.finder.workspaces.remove(repository)
            why = problem.answer.line if isinstance(problem, NotDone) else escape(clip(str(problem), 300))
            raise NotDone(f"`{name}` was not added: {why.rstrip('.')}.", outcome="failed") from problem
        default = f"on `{escape(branches.default)}`" if branches.default else "without a default branch"
        state = default if branches.default_sha else "without any commit yet"
        return CommandAnswer(
            line=f"Added `{name}`: {_describe_source(repository)}, {state}.",
            rows=(
                f"`git_create_branch <name> {name}` creates a branch there."
                if branches.default_sha
                else "Branches begin at a commit: make the first one at its source, then `git_create_branch`.",
            ),
        )

    @command(
        "list_repos",
        "lists the git repositories of projects",
        input=OfRepository,
        role="operator",
        tier="read",
        untrusted="code",
        result=RepositoriesData,
    )
    async def list_repos(self, request: OfRepository, _: Asker) -> CommandAnswer:
        """List the repositories of one project, or of all; branches are those of the last fetch."""
        overview = self.finder.overview
        names = (overview.find_project(request.project),) if request.project else overview.projects.names
        every = [repository for name in names for repository in await self._repositories.list_for(name)]
        problems = {key: why for name in names for key, why in self._repositories.find_problems(name).items()}
        where = f"of `{names[0]}`" if request.project else f"of {count(len(names), 'project')}"
        data = RepositoriesData(
            repositories=tuple([self._build(repository) for repository in every]), problems=problems
        )
        rows = [f"`{repository.name}` {_describe_source(repository)}" for repository in every]
        rows += [f"`{name}` cannot be used: {escape(clip(why, 300))}" for name, why in problems.items()]
        if self._repositories.problem:
            rows.append(escape(self._repositories.problem))
        hint = "" if every else " `add_repo` adds one."
        line = f"{count(len(every), 'repository', 'repositories')} {where}{':' if rows else '.'}{hint}"
        return CommandAnswer(line=line, rows=tuple(rows), data=data)

    def _plan(self, request: NewRepository, asker: Asker) -> tuple[str, StoredRepository]:
        """Return the name and the record of a new repository. Raises `NotDone`."""
        project = self.finder.overview.resolve_project(request.project, asker)
        if self.finder.redactor.redact(request.address) != request.address:
            raise NotDone("Address: expected nothing that looks like a secret: it would be saved. Nothing was changed.")
        own = request.name or _name_for(request.address)
        stored = StoredRepository(
            kind=request.source, address=request.address, branch=request.branch, by=asker.user_id, at=self.clock.now()
        )
        return f"{project}/{own}", stored

    def _build(self, repository: WorkRepository) -> RepositoryData:
        return RepositoryData(
            name=repository.name,
            project=repository.project,
            source=repository.kind,
            address=repository.address or None,
            is_added=self._repositories.is_added(repository.name),
        )

    @property
    def _repositories(self) -> WorkRepositories:
        return self.finder.repositories


def _name_for(address: str) -> str:
    """Return the name of a repository after the last part of its address."""
    last = address.rstrip("/").removesuffix(".git").rpartition("/")[2]
    return _ENDS.sub("", last)[:64] or "repo"


def _describe_source(repository: WorkRepository) -> str:
    where = f" `{escape(repository.address)}`" if repository.address else ""
    return f"{_KINDS[repository.kind]}{where}"


def _reject(problem: Misconfigured) -> NotDone:
    reason = escape(clip(str(problem), 300))
    return NotDone(f"{reason[:1].upper()}{reason[1:]}. Nothing was changed.")
