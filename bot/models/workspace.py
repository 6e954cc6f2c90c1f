"""Repositories that Triage changes, the workspaces of their branches, and the results of git there.

A workspace is a worktree of Triage's own clone, below `checkouts/` of the home, for one branch `triage/<slug>`.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator

from bot.models.fact import Fact
from bot.models.project import Repository

RepositoryKind = Literal["clone", "link", "init"]
"""Source of a repository: an address that it is cloned from; a folder of this machine, which is never changed; or none,
for one that began empty in the home."""

BRANCH_PREFIX = "triage/"
"""Beginning of the names of Triage's own branches; it writes no others at a remote."""

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


def _check_slug(slug: str) -> str:
    if not _SLUG.fullmatch(slug) or ".." in slug or slug.endswith((".", ".lock")):
        raise ValueError("expected letters, digits, dashes, underscores and single dots, such as fix-flyout")
    return slug


Slug = Annotated[str, AfterValidator(_check_slug)]
"""Name of a branch of Triage without `triage/`; also of its folder."""


class WorkRepository(Fact):
    """A repository of a project, of which Triage has its own clone to work on."""

    name: str
    """`shop`, or `shop/api` for one of several of a project."""
    project: str
    kind: RepositoryKind
    origin: Repository | None = None
    """The source of the clone; `None` for a repository that began empty in the home."""

    @property
    def address(self) -> str:
        """Return the address or the folder that it comes from; empty for none."""
        return self.origin.url if self.origin else ""


class Workspace(Fact):
    """A worktree of one branch of Triage, with its files."""

    repository: str
    slug: Slug
    folder: Path
    """Absolute path of the files. Its `.git` is never believed, since a program may have written it."""
    head: str
    """SHA of the branch's newest commit."""
    base: str
    """SHA of the commit at which the branch began."""

    @property
    def branch(self) -> str:
        """Return the full name of the branch."""
        return f"{BRANCH_PREFIX}{self.slug}"


class RemoteBranch(Fact):
    """A branch at the remote, as last fetched."""

    name: str
    sha: str


class Branches(Fact):
    """Branches of a repository."""

    default: str
    """Name of the default branch; empty if the remote's HEAD is detached, or without any commit."""
    default_sha: str
    """SHA of its newest commit at the remote, or in a repository that began here; empty without any commit."""
    merged_sha: str = ""
    """SHA of its newest commit with what was merged here; empty if that is the same."""
    workspaces: tuple[Workspace, ...]
    """Branches of Triage, the one with the newest commit first."""
    remote: tuple[RemoteBranch, ...]
    problem: str = ""
    """Reason why the last fetch failed; empty if it did not."""


class FileChange(Fact):
    """A changed file; bytes of its name that are no UTF-8 are replaced."""

    status: Literal["added", "modified", "deleted"]
    path: str


class WorkCommit(Fact):
    """A commit. `author`, `subject` and the body of a commit are untrusted text."""

    sha: str
    author: str
    at: datetime
    subject: str


class WorkspaceStatus(Fact):
    """A workspace with what is not committed, and what its branch has since its base."""

    workspace: Workspace
    uncommitted: tuple[FileChange, ...]
    commits: tuple[WorkCommit, ...]
    """Commits since the base, the newest first."""
    remote_sha: str = ""
    """SHA of the branch at the remote, as last fetched; empty if it is not there."""
    left_out: tuple[str, ...] = ()
    """Paths that no commit takes: files that may hold secrets by their names, and repositories within the workspace."""
    set_aside: tuple[str, ...] = ()
    """Absolute paths to what was in the place of the workspace's `.git`, and is kept beside."""


class Diff(Fact):
    """Changes of files between a commit and a later state."""

    base: str
    """SHA of the earlier commit."""
    head: str
    """SHA of the later commit; files of a workspace that are not committed count as well."""
    files: tuple[FileChange, ...]
    text: str
    """The patch; files that may hold secrets by their names are not in it."""
    withheld: int = 0
    """Number of those files."""
    is_cut: bool = False


class BranchLoss(Fact):
    """Work on a branch that is lost with its clone."""

    branch: str
    """Full name."""
    sha: str
    """SHA of its newest commit."""
    commits: int
    """Number of commits that no branch at the remote has, as last fetched."""
    tree: str = ""
    """SHA of its files as they are; empty without a workspace."""
    changes: int = 0
    """Number of files that are not committed."""
    paths: tuple[str, ...] = ()
    """The first of them."""
    left_out: tuple[str, ...] = ()
    """The first paths that no commit takes, as in `WorkspaceStatus`."""
    problem: str = ""
    """Reason why the files could not be compared."""


class Author(Fact):
    """The person in whose name a commit is made."""

    name: str
    user_id: str
    team_id: str

    @property
    def email(self) -> str:
        """Return the address of a person of Slack, at which nobody receives mail."""
        return f"{self.user_id}@{self.team_id}.slack.invalid"


class Committed(Fact):
    """A commit that was made."""

    sha: str
    files: tuple[FileChange, ...]
    left_out: tuple[str, ...] = ()
    """As in `WorkspaceStatus`."""


class PushPlan(Fact):
    """A push, exactly as it is done: one commit to one branch of Triage at the remote."""

    repository: str
    slug: Slug
    sha: str
    remote: str
    """Address of the remote."""
    remote_sha: str
    """SHA of the branch there before; empty for a new branch. The same as `sha`: there is nothing to push."""
    commits: int
    """Number of commits that no branch at the remote has yet; 0 for a new branch of commits that are all there."""
    files: int
    """Number of files that these commits change."""

    @property
    def branch(self) -> str:
        """Return the full name of the branch."""
        return f"{BRANCH_PREFIX}{self.slug}"


class Outline(Fact):
    """Content of a push or a merge."""

    commits: tuple[WorkCommit, ...]
    """The newest commits of it, at most as many as were asked for."""
    files: tuple[FileChange, ...]
    """All files that it changes."""


class MergePlan(Fact):
    """A merge of a branch of Triage into the default branch of the clone, exactly as it is done."""

    repository: str
    slug: Slug
    sha: str
    target: str
    """Name of the default branch."""
    target_sha: str
    """SHA of the default branch before."""
    commits: int
    """Number of commits that it gets; 0: it has them all."""
    files: int
    conflicts: tuple[str, ...] = ()
    """Files that conflict; with any nothing is merged."""
    starts_over: bool = False
    """True if what was merged here before conflicts with the remote's default branch, and is left out."""

    @property
    def branch(self) -> str:
        """Return the full name of the merged branch."""
        return f"{BRANCH_PREFIX}{self.slug}"
