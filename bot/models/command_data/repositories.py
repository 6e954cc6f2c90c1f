"""Data of commands on repositories and their branches."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class RepositoryData(Fact):
    """A repository of a project."""

    name: str
    project: str
    source: str
    """`clone`, `link` or `init`."""
    address: str | None
    """Address or folder that it comes from; `None` for one that began empty."""
    is_added: bool
    """True if a command added it; else it is the project's own code."""


class RepositoriesData(Fact):
    """Repositories of projects."""

    repositories: tuple[RepositoryData, ...]
    problems: dict[str, str]
    """Reason for each that cannot be used."""


class FileChangeData(Fact):
    """A changed file."""

    status: str
    """`added`, `modified` or `deleted`."""
    path: str


class CommitData(Fact):
    """A commit."""

    sha: str
    author: str
    at: UtcTime
    subject: str


class BranchStatusData(Fact):
    """State of a repository and of the branch that the person works on there."""

    repository: str
    default_branch: str | None
    default_sha: str | None
    branch: str | None
    """Full name of the branch; `None` if none is chosen."""
    head: str | None
    remote_sha: str | None
    """Commit of the branch at the remote; `None` if it is not there."""
    commits: tuple[CommitData, ...]
    """Commits of the branch since it began, at most 50; without a branch the newest of the default branch."""
    uncommitted: tuple[FileChangeData, ...]
    left_out: tuple[str, ...]
    """Changed paths that no commit takes."""
    branches: tuple[str, ...]
    """Full names of Triage's branches, the newest first."""
    problem: str | None
    """Reason why the last fetch failed."""


class GitStatusData(Fact):
    """State of the repositories of a project."""

    repositories: tuple[BranchStatusData, ...]


class RepositoryLogData(Fact):
    """Newest commits of a repository."""

    repository: str
    commits: tuple[CommitData, ...]


class GitLogData(Fact):
    """Newest commits by repository."""

    repositories: tuple[RepositoryLogData, ...]


class RepositoryDiffData(Fact):
    """Changes of a branch."""

    repository: str
    branch: str
    base: str
    """Commit that it is compared with."""
    head: str
    files: tuple[FileChangeData, ...]
    text: str
    """The patch."""
    withheld: int
    """Number of files that may hold secrets by their names, and are not in the patch."""
    is_complete: bool
    """False if the patch is cut."""


class GitDiffData(Fact):
    """Changes by repository."""

    repositories: tuple[RepositoryDiffData, ...]


class ChangedFilesData(Fact):
    """Files that differ between a branch and its base."""

    repository: str
    branch: str
    files: tuple[FileChangeData, ...]
