"""Data of the commands on git, for programs: commits, changed files, changes and states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.command_data.repositories import BranchStatusData, CommitData, FileChangeData, RepositoryDiffData
from bot.models.workspace import BRANCH_PREFIX
from bot.tools.names import make_legible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.workspace import Branches, Diff, FileChange, WorkCommit, WorkRepository, WorkspaceStatus


def build_files(changes: Iterable[FileChange]) -> tuple[FileChangeData, ...]:
    """Build the rows of changed files."""
    return tuple(FileChangeData(status=change.status, path=make_legible(change.path)) for change in changes)


def build_commit(commit: WorkCommit) -> CommitData:
    """Build the row of a commit."""
    return CommitData(
        sha=commit.sha, author=make_legible(commit.author), at=commit.at, subject=make_legible(commit.subject)
    )


def build_diff(repository: WorkRepository, slug: str, diff: Diff, text: str) -> RepositoryDiffData:
    """Build the changes of a branch; `text` is what is shown of them."""
    return RepositoryDiffData(
        repository=repository.name,
        branch=f"{BRANCH_PREFIX}{slug}",
        base=diff.base,
        head=diff.head,
        files=build_files(diff.files),
        text=text,
        withheld=diff.withheld,
        is_complete=not diff.is_cut,
    )


def build_status(
    repository: WorkRepository,
    branches: Branches,
    status: WorkspaceStatus | None,
    commits: tuple[WorkCommit, ...],
) -> BranchStatusData:
    """Build the state of a repository and of the branch that a person works on, if any."""
    return BranchStatusData(
        repository=repository.name,
        default_branch=branches.default or None,
        default_sha=branches.default_sha or None,
        branch=status.workspace.branch if status else None,
        head=status.workspace.head if status else None,
        remote_sha=(status.remote_sha or None) if status else None,
        commits=tuple(map(build_commit, commits)),
        uncommitted=build_files(status.uncommitted) if status else (),
        left_out=status.left_out if status else (),
        branches=tuple(workspace.branch for workspace in branches.workspaces),
        problem=branches.problem or None,
    )
