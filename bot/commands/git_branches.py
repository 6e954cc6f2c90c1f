"""Branches of Triage: `git_create_branch`, `checkout_branch`, `git_commit`.

They change Triage's own clone alone. A branch is chosen by each person for themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from blocks.text import escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.path_text import escape_path, list_paths
from bot.commands.registry import command
from bot.commands.repository_finder import find_branch_task
from bot.commands.repository_inputs import Branch, ChosenBranch, NewBranch, NewCommit
from bot.commands.state import count
from bot.models.workspace import BRANCH_PREFIX

if TYPE_CHECKING:
    from bot.commands.repository_finder import RepositoryFinder
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.workspace import Branches, WorkRepository

MAX_PATHS = 10
"""Number of paths that an answer names."""
_SLUG = TypeAdapter[str](Branch)


@dataclass(frozen=True, kw_only=True)
class BranchCommands:
    """Commands that change branches of Triage."""

    finder: RepositoryFinder
    tasks: TaskFinder

    @command(
        "git_create_branch",
        "creates a branch at the newest commit, or at `base`, and switches to it",
        input=NewBranch,
        role="operator",
        tier="reversible",
        deed="a branch was created",
        also=("create_branch",),
    )
    async def create(self, request: NewBranch, asker: Asker) -> CommandAnswer:
        """Create a branch in the first repository of a project, and work on it from now on."""
        repository, workspaces = await self.finder.find(request.project, asker), self.finder.workspaces
        name = f"`{BRANCH_PREFIX}{request.branch}` of `{repository.name}`"
        if await self.finder.allow(workspaces.find(repository, request.branch)):
            raise NotDone(f"{name} exists already: `checkout_branch {request.branch}` switches to it.")
        workspace = await self.finder.allow(workspaces.prepare(repository, request.branch, base=request.base))
        await self.finder.repositories.choose_branch(asker.user_id, repository.name, workspace.slug)
        return CommandAnswer(line=f"Created {name} at `{workspace.head[:12]}`; you work on it now.")

    @command(
        "checkout_branch",
        "switches to a branch of Triage, or back to the default one",
        input=ChosenBranch,
        role="operator",
        tier="reversible",
        deed="a branch was chosen",
    )
    async def checkout(self, request: ChosenBranch, asker: Asker) -> CommandAnswer:
        """Choose the branch that the person's next commands are about."""
        repository, workspaces = await self.finder.find(request.project, asker), self.finder.workspaces
        branches = await self.finder.allow(workspaces.branches(repository))
        if request.branch.strip(" `") == branches.default and branches.default:
            await self.finder.repositories.choose_branch(asker.user_id, repository.name, "")
            return CommandAnswer(
                line=f"You are on the default branch `{escape(branches.default)}` of `{repository.name}`, which "
                "Triage never changes at the remote; `git_create_branch` begins another one."
            )
        slug = _find_slug(request.branch, branches, repository)
        workspace = await self.finder.allow(workspaces.prepare(repository, slug))
        await self.finder.repositories.choose_branch(asker.user_id, repository.name, slug)
        return CommandAnswer(
            line=f"You work on `{workspace.branch}` of `{repository.name}` now, at `{workspace.head[:12]}`."
        )

    @command(
        "git_commit",
        "commits all changes of a branch in your name",
        input=NewCommit,
        role="operator",
        tier="reversible",
        deed="changes were committed",
        also=("commit_changes",),
        untrusted="code",
        rest=True,
    )
    async def commit(self, request: NewCommit, asker: Asker) -> CommandAnswer:
        """Commit what has changed in the workspace of a branch; the task of its name is in a trailer."""
        repository = await self.finder.find(request.project, asker)
        slug = await self.finder.find_branch(repository, request.branch, asker)
        if self.finder.redactor.redact(request.message) != request.message:
            raise NotDone("The message holds what looks like a secret: it would be saved. Nothing was committed.")
        committed = await self.finder.allow(
            self.finder.workspaces.commit(
                repository,
                slug,
                request.message,
                author=await self.finder.find_author(asker),
                task=await find_branch_task(self.tasks, slug, asker),
            )
        )
        name = f"`{BRANCH_PREFIX}{slug}` of `{repository.name}`"
        if committed is None:
            return CommandAnswer(line=f"Nothing has changed in {name} since its last commit.", is_unchanged=True)
        left_out = list_paths(committed.left_out, MAX_PATHS)
        why = "no commit takes files that may hold secrets by their names, nor repositories within"
        return CommandAnswer(
            line=f"Committed {count(len(committed.files), 'file')} to {name}: `{committed.sha[:12]}`.",
            rows=(
                f"Changed: {list_paths((change.path for change in committed.files), MAX_PATHS)}.",
                *([f"Left out: {left_out}; {why}."] if left_out else []),
            ),
        )


def _find_slug(name: str, branches: Branches, repository: WorkRepository) -> str:
    """Return the slug of a branch of Triage, here or at the remote. Raises `NotDone`."""
    try:
        slug = _SLUG.validate_python(name)
    except ValidationError:
        slug = ""
    full = f"{BRANCH_PREFIX}{slug}"
    remote = {branch.name for branch in branches.remote}
    if slug and (full in remote or slug in {workspace.slug for workspace in branches.workspaces}):
        return slug
    shown = escape_path(name.strip(" `"))
    if name.strip(" `") in remote:
        raise NotDone(
            f"`{shown}` is not a branch of Triage, which works on its own ones alone: "
            f"`git_create_branch <name> base={shown}` begins one there."
        )
    listed = ", ".join(f"`{workspace.slug}`" for workspace in branches.workspaces[:10]) or "none yet"
    raise NotDone(f"`{repository.name}` has no branch `{shown}`. Triage's branches there: {listed}.")
