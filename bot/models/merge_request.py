"""Merge request of a forge: GitLab's word, and here also for a pull request of GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.models.fact import Fact
from bot.models.workspace import BRANCH_PREFIX, Slug

ForgeKind = Literal["github", "gitlab"]
MAX_TITLE = 200
"""Characters of a title; GitLab takes 255, and writes `Draft: ` before it."""
MAX_BODY = 20_000
"""Characters of a body; GitHub takes 65,536."""

MergeRequestTitle = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TITLE)]


class ForgeSite(Fact):
    """A forge of the settings: the remotes that it serves, and its API."""

    kind: ForgeKind
    host: str = ""
    """Host of the remotes: a name for the default port of https, `name:port` for another."""
    folder: Path | None = None
    """Folder of this machine with the bare repositories that it serves, instead of a host."""
    token_env: str
    """Variable of the environment that holds the token of its API."""
    api_url: str
    """Address of its API without a slash at the end, such as `https://api.github.com`."""


class MergeRequest(Fact):
    """A request to merge a branch, as the forge last described it. Its title is untrusted text."""

    kind: ForgeKind
    number: Annotated[int, Field(ge=1)]
    """Number within the repository."""
    url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s<>|]+$", max_length=2_000)]
    """Address of its page for people."""
    title: str
    branch: str
    target: str
    head_sha: str
    """SHA of the newest commit of the branch, as the forge knows it."""
    is_draft: bool
    is_open: bool

    @property
    def name(self) -> str:
        """Return its name in the words of its forge, such as `pull request #12` or `merge request !12`."""
        return f"pull request #{self.number}" if self.kind == "github" else f"merge request !{self.number}"


class MergeRequestText(Fact):
    """Title and body of a merge request as it is opened: of what people and models wrote, nothing acts at the forge."""

    title: MergeRequestTitle
    body: Annotated[str, StringConstraints(max_length=MAX_BODY)]


class DraftPlan(Fact):
    """A draft, exactly as it is opened: of one commit of a branch that was pushed."""

    repository: str
    slug: Slug
    sha: str
    remote: str
    """Address of the remote."""
    target: str
    text: MergeRequestText

    @property
    def branch(self) -> str:
        """Return the full name of the branch."""
        return f"{BRANCH_PREFIX}{self.slug}"
