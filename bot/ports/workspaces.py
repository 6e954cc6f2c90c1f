"""Outbound port of git that writes: workspaces of Triage's own clones, and pushes of their branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.workspace import (
        Author,
        Branches,
        BranchLoss,
        Committed,
        Diff,
        FileChange,
        MergePlan,
        Outline,
        PushPlan,
        WorkCommit,
        WorkRepository,
        Workspace,
        WorkspaceStatus,
    )


class Workspaces(Protocol):
    """Workspaces of repositories (`bot.adapters.checkouts.workspaces.GitWorkspaces`).

    Nothing in a repository is run, and nothing is written but in Triage's own clone and, by `push`, at its remote. Each
    call may raise `RetryLater` if git fails, and `ToolError` for a person or a model if it cannot be done as asked; a
    call after a crash goes on where the earlier one ended. Texts and paths that it returns are untrusted.
    """

    async def prepare(self, repository: WorkRepository, slug: str, *, base: str = "") -> Workspace:
        """Return the workspace of the branch `triage/<slug>`; create what is missing of both.

        A new branch begins at the remote's branch of this name, else at `base` (a branch, or a commit), else at the
        newest commit of the default branch. A branch that exists keeps its own commits.
        """

    async def find(self, repository: WorkRepository, slug: str) -> Workspace | None:
        """Return the workspace of a branch, or `None` if there is no such branch here."""

    async def branches(self, repository: WorkRepository, *, afresh: bool = False) -> Branches:
        """Return the branches of a repository, fetched within the last minute, or just now (`afresh`), if that is
        possible."""

    async def status(self, repository: WorkRepository, slug: str) -> WorkspaceStatus:
        """Return what a branch has since its base, and what is not committed."""

    async def diff(self, repository: WorkRepository, slug: str, *, base: str = "", path: str = "") -> Diff:
        """Return the changes of a workspace, those that are not committed included, since its base.

        Another `base` is a branch or a commit: then the changes since it and the workspace have parted. `path` is a
        file or a folder.
        """

    async def changed_files(self, repository: WorkRepository, slug: str, *, base: str = "") -> tuple[FileChange, ...]:
        """Return the files that `diff` would name."""

    async def list_links(self, repository: WorkRepository, slug: str) -> tuple[str, ...]:
        """Return the paths of the symbolic links in a branch's newest commit; in its workspace they are plain files."""

    async def log(
        self, repository: WorkRepository, ref: str = "", *, since: str = "", count: int = 15
    ) -> tuple[WorkCommit, ...]:
        """Return the newest commits of a branch or up to a commit, without those of `since`.

        Without `ref` of the default branch at the remote, or of a repository that began here.
        """

    async def outline(self, repository: WorkRepository, plan: PushPlan | MergePlan, *, count: int) -> Outline:
        """Return the newest commits of a plan, and all files that it changes, as of the last fetch."""

    async def commit(
        self, repository: WorkRepository, slug: str, message: str, *, author: Author, task: str = ""
    ) -> Committed | None:
        """Commit all changes in a workspace; `None` if there are none. A trailer of the message names the task."""

    async def plan_push(self, repository: WorkRepository, slug: str) -> PushPlan:
        """Return the push of a branch to its remote as it would be done now.

        Raises `ToolError` if it cannot be, `NothingCommitted` if the branch has no commit of its own.
        """

    async def push(self, repository: WorkRepository, plan: PushPlan) -> None:
        """Push exactly what was planned. Raises `Outdated` if the branch or the remote has changed since."""

    async def plan_merge(self, repository: WorkRepository, slug: str) -> MergePlan:
        """Return the merge of a branch into the default branch as it would be done now."""

    async def merge(self, repository: WorkRepository, plan: MergePlan, *, author: Author) -> str:
        """Merge exactly what was planned, in the clone alone; return the SHA of the merge.

        Raises `ToolError` if either branch has changed since, or if they conflict: then nothing has changed.
        """

    async def drop(self, repository: WorkRepository, slug: str, *, head: str) -> None:
        """Remove a branch with its workspace and all that is not committed there, if its newest commit is `head`.

        A branch with another one is left alone. Raises `ToolError` if a program works there, and `RetryLater` if some
        of its files cannot be removed.
        """

    async def find_losses(self, repository: WorkRepository) -> tuple[BranchLoss, ...]:
        """Return what would be lost with the clone; nothing is fetched for that."""

    async def remove(self, repository: WorkRepository, *, losses: tuple[BranchLoss, ...] | None = None) -> None:
        """Remove the clone with all of its workspaces.

        Raises `ToolError` if a program works in one, or if more would be lost than `losses`, where these are given, and
        `RetryLater` if some of it cannot be removed.
        """

    async def remove_project(self, project: str) -> None:
        """Remove the clones of all repositories of a project, also of those that it had before.

        Raises `ToolError` if a program works in one of their workspaces.
        """
