"""Removal of a repository that a command added: `remove_repo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import CommandAnswer, NotDone, SealedRequest
from bot.commands.nearest_name import suggest_sentence
from bot.commands.path_text import list_paths
from bot.commands.registry import sealed_command
from bot.commands.repository_inputs import AddedRepository
from bot.commands.state import count
from bot.models.fact import Fact
from bot.models.workspace import BranchLoss, WorkRepository

if TYPE_CHECKING:
    from bot.commands.repository_finder import RepositoryFinder
    from bot.models.interaction import Asker

MAX_BRANCHES = 15
"""Number of branches that a confirmation names one by one."""
MAX_PATHS = 8
"""Number of paths that it names of each."""


class ShownRemoval(Fact):
    """Removal as it was shown; the press does it if nothing else would be lost."""

    project: str
    """Name of the repository."""
    repository: WorkRepository
    losses: tuple[BranchLoss, ...]


@dataclass(frozen=True, kw_only=True)
class RepositoryRemoval:
    """The command `remove_repo`."""

    finder: RepositoryFinder

    async def show(self, request: AddedRepository, asker: Asker) -> SealedRequest:
        """Show the repository and what is lost with Triage's clone. Raises `NotDone` if no command added it."""
        repository = self._find(request.project, asker)
        losses = await self.finder.allow(self.finder.workspaces.find_losses(repository))
        shown = ShownRemoval(project=repository.name, repository=repository, losses=losses)
        return SealedRequest(
            request=shown,
            brief="What is lost by it is shown above the buttons.",
            shown="\n".join(map(self.finder.redactor.redact, _describe(repository, losses))),
            typed_again=repository.name,
            is_typed=True,
        )

    @sealed_command(
        "remove_repo",
        "removes a repository that `add_repo` added, with Triage's clone",
        input=AddedRepository,
        sealed=ShownRemoval,
        names="project",
        role="admin",
        tier="irreversible",
        deed="a repository was removed from a project",
        also=("delete_repo",),
        preview=show,
    )
    async def remove_repo(self, request: ShownRemoval, _: Asker) -> CommandAnswer:
        """Remove the clone, then the repository; a folder that was linked and a remote stay as they are."""
        name = request.repository.name
        if self.finder.repositories.find_added(name) != request.repository:
            raise NotDone(f"The repository `{name}` has changed, or is gone. Nothing was removed.", outcome="refused")
        await self.finder.allow(self.finder.workspaces.remove(request.repository, losses=request.losses))
        await self.finder.repositories.remove(name)
        return CommandAnswer(line=f"Removed `{name}` with Triage's clone.{_describe_rest(request.repository)}")

    def _find(self, word: str, asker: Asker) -> WorkRepository:
        """Return the added repository of this name. Raises `NotDone` with those that there are."""
        name, _, part = word.strip(" `").partition("/")
        project = self.finder.overview.resolve_project(name, asker)
        added = self.finder.repositories.list_added(project)
        if repository := added.get(f"{project}/{part}".lower()):
            return repository
        names = ", ".join(f"`{each.name}`" for each in added.values())
        has = f"Commands have added: {names}." if added else f"No command has added a repository to `{project}`."
        if not part:
            raise NotDone(f"Which repository? {has}", missing="project" if added else None)
        near = suggest_sentence(f"{project}/{part}", [each.name for each in added.values()])
        shown = escape(clip(part, 60)).replace("`", "'")
        raise NotDone(
            f"`add_repo` did not add `{project}/{shown}`, and a project's own code stays with it.{near} {has}"
        )


def _describe(repository: WorkRepository, losses: tuple[BranchLoss, ...]) -> list[str]:
    """Return rows on the repository, and on each branch that is lost."""
    rows = [f"*Remove:* `{repository.name}`, with Triage's clone.{_describe_rest(repository)}"]
    where = "it has no remote" if repository.kind == "init" else "as last fetched"
    if not losses:
        return [*rows, f"*Lost:* no commit and no changed file ({where}), only files that git ignores."]
    rows.append(f"*Lost for good* ({where}), with files that git ignores:")
    rows += [
        f"• `{escape(loss.branch)}` at `{loss.sha[:12]}`: {_describe_loss(loss)}" for loss in losses[:MAX_BRANCHES]
    ]
    if len(losses) > MAX_BRANCHES:
        rows.append(f"• and {count(len(losses) - MAX_BRANCHES, 'more branch', 'more branches')}.")
    return rows


def _describe_loss(loss: BranchLoss) -> str:
    parts = [f"{count(loss.commits, 'commit')} that no remote has"] if loss.commits else []
    if loss.changes:
        more = f" and {loss.changes - MAX_PATHS} more" if loss.changes > MAX_PATHS else ""
        parts.append(f"not committed {list_paths(loss.paths[:MAX_PATHS], MAX_PATHS)}{more}")
    if loss.left_out:
        parts.append(f"what no commit takes {list_paths(loss.left_out, MAX_PATHS)}")
    if loss.problem:
        parts.append(escape(loss.problem))
    return f"{'; '.join(parts)}."


def _describe_rest(repository: WorkRepository) -> str:
    """Say what stays, after a space; empty for a repository that is nowhere else."""
    match repository.kind:
        case "clone":
            return f" The remote `{escape(repository.address)}` stays as it is."
        case "link":
            return f" The folder `{escape(repository.address)}` stays as it is."
        case "init":
            return ""
