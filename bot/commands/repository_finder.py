"""Lookup of the repository and the branch that a command names, and of the person in whose name git works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import NotDone
from bot.commands.nearest_name import LONGEST_WORD, suggest_sentence
from bot.commands.path_text import list_paths
from bot.errors import NothingCommitted, ToolError
from bot.models.workspace import BRANCH_PREFIX, Author

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import TypeVar

    from bot.commands.projects import ProjectOverview
    from bot.commands.search import TaskFinder
    from bot.decide.redaction.redactor import Redactor
    from bot.models.interaction import Asker
    from bot.models.workspace import PushPlan, WorkRepository
    from bot.ports.workspaces import Workspaces
    from bot.triage.slack_names import SlackNames
    from bot.triage.work_repositories import WorkRepositories

    Result = TypeVar("Result")

MAX_PATHS = 20
"""Number of paths that a confirmation or a refusal names."""


@dataclass(frozen=True, kw_only=True)
class RepositoryFinder:
    """Lookup of repositories: by name, else those of the project of the conversation."""

    overview: ProjectOverview
    repositories: WorkRepositories
    workspaces: Workspaces
    naming: SlackNames
    redactor: Redactor

    async def list_all(self, project: str, asker: Asker) -> tuple[WorkRepository, ...]:
        """Return the repositories of a project, at least one; for `shop/api` that one alone. Raises `NotDone`."""
        name, _, part = project.strip(" `").partition("/")
        own = self.overview.resolve_project(name, asker)
        repositories = await self.repositories.list_for(own)
        if not repositories:
            how = "`add_repo` adds one, such as `add_repo init " + own + "`."
            raise NotDone(f"The project `{own}` has no git repository: its folder is none. {how}")
        if not part:
            return repositories
        by_name = {repository.name.lower(): repository for repository in repositories}
        if repository := by_name.get(f"{own}/{part}".lower()):
            return (repository,)
        for name, why in self.repositories.find_problems(own).items():
            if name.lower() == f"{own}/{part}".lower():
                raise NotDone(f"`{name}` cannot be used now: {escape(clip(why, 300))}.")
        near = suggest_sentence(f"{own}/{part}", [repository.name for repository in repositories])
        raise NotDone(f"`{own}` has no repository `{_show(part)}`.{near} `list_repos` names them.")

    async def find(self, project: str, asker: Asker) -> WorkRepository:
        """Return the first of these repositories. Raises `NotDone`."""
        return (await self.list_all(project, asker))[0]

    async def get(self, name: str) -> WorkRepository:
        """Return the repository of exactly this name. Raises `NotDone` if it is gone."""
        try:
            return await self.repositories.get(name)
        except ToolError as problem:
            words = f"The repository `{_show(name)}` is no longer there. Nothing was done."
            raise NotDone(words, outcome="refused") from problem

    async def find_branch(self, repository: WorkRepository, branch: str, asker: Asker) -> str:
        """Return the slug of a branch that exists; by default the one that the person works on. Raises `NotDone`."""
        slug = branch or await self.find_current(repository, asker)
        if not slug:
            listed = await self._list_branches(repository)
            raise NotDone(
                f"Which branch of `{repository.name}`? {listed} `git_create_branch` creates one, `checkout_branch` "
                "chooses it.",
                missing="branch",
            )
        if await self.allow(self.workspaces.find(repository, slug)) is None:
            raise NotDone(
                f"`{repository.name}` has no branch `{BRANCH_PREFIX}{_show(slug)}` here. "
                f"{await self._list_branches(repository)} `git_create_branch` creates one."
            )
        return slug

    async def find_current(self, repository: WorkRepository, asker: Asker) -> str:
        """Return the slug of the branch that a person works on: the chosen one, else the only one; empty for none."""
        chosen = self.repositories.find_branch(asker.user_id, repository.name)
        if chosen is not None:
            return chosen
        workspaces = (await self.workspaces.branches(repository)).workspaces
        return workspaces[0].slug if len(workspaces) == 1 else ""

    async def find_author(self, asker: Asker) -> Author:
        """Return the person with their name in Slack; the id where Slack gives none in time."""
        names = await self.naming.names({asker.user_id: ""})
        name = names.get(asker.user_id) or asker.user_id
        return Author(name=name, user_id=asker.user_id, team_id=asker.team_id)

    async def allow(self, work: Awaitable[Result]) -> Result:
        """Await work with git; its refusal becomes the answer. Raises `NotDone`."""
        try:
            return await work
        except ToolError as problem:
            reason = escape(clip(self.redactor.redact(str(problem)), 500)).replace("`", "'")
            raise NotDone(f"{reason[:1].upper()}{reason[1:]}.") from problem

    async def plan_push(self, repository: WorkRepository, slug: str) -> PushPlan:
        """Return the push of a branch; a refusal for want of commits names what is not committed. Raises `NotDone`."""
        try:
            return await self.allow(self.workspaces.plan_push(repository, slug))
        except NotDone as refusal:
            if not isinstance(refusal.__cause__, NothingCommitted):
                raise
            raise NotDone(f"{refusal.answer.line}{await self.name_uncommitted(repository, slug)}") from refusal

    async def name_uncommitted(self, repository: WorkRepository, slug: str) -> str:
        """Return sentences, after a space, on the files of a branch that are not committed; empty without any."""
        status = await self.allow(self.workspaces.status(repository, slug))
        if not status.uncommitted:
            return ""
        paths = self.redactor.redact(list_paths((change.path for change in status.uncommitted), MAX_PATHS))
        how = f"`git_commit project={repository.name} branch={slug} <message>` commits them."
        return f" Not committed: {paths}. {how}"

    async def _list_branches(self, repository: WorkRepository) -> str:
        """Return a sentence with the branches of Triage."""
        slugs = [workspace.slug for workspace in (await self.workspaces.branches(repository)).workspaces]
        if not slugs:
            return "Triage has none yet."
        rest = f" and {len(slugs) - 10} more" if len(slugs) > 10 else ""
        return f"There are {', '.join(f'`{escape(slug)}`' for slug in slugs[:10])}{rest}."


async def find_branch_task(tasks: TaskFinder, slug: str, asker: Asker) -> str:
    """Return the task that a branch is named after; empty for other branches."""
    try:
        return (await tasks.find(slug, asker, hints=False)).task
    except NotDone:
        return ""


def _show(name: str) -> str:
    return escape(clip(name, LONGEST_WORD)).replace("`", "'")
