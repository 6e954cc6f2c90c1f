"""A project: a name, the folder its code lies in, and a sentence about it.

It stands in `triage.yml` (`projects`), or was made by a command and stands in `projects.json` of the home.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.models.fact import Fact


class Repository(Fact):
    """Where a project's code is fetched from."""

    url: str
    """An `https://`, `ssh://` or `file://` address, or an absolute path; it holds no name and no password."""
    branch: str = ""
    """The one that its HEAD names where empty."""
    refresh_min: float = 15
    token_env: str | None = None
    """The variable of the environment that holds its token."""
    max_mb: int = 2_000
    below: tuple[Path, ...] | None = None
    """The folders that it must lie in with all that git reads of it, where it is of this machine; `None` for those of
    the settings, which may lie anywhere."""

    @property
    def protocol(self) -> str:
        """What it is fetched by."""
        scheme, found, _ = self.url.partition("://")
        return scheme if found else "file"

    @property
    def source(self) -> str:
        """What is fetched from where."""
        return f"{self.url} {self.branch}".rstrip()


class Fetched(Fact):
    """What is there of a repository."""

    commit: str
    """The full SHA; empty where nothing was ever fetched."""
    at: datetime
    """When it was fetched."""
    source: str = ""
    """Where it was fetched from (`Repository.source`); empty in what was written before that was kept."""
    problem: str = ""
    """Why the last try came to nothing; empty when it did not."""


class Project(Fact):
    """One code base that questions are answered from."""

    name: str
    """`shop`; or `shop/api` for one root of a project that has several."""
    root: Path
    """Absolute path of the folder; every reference of this project is relative to it. Where there is a repository, a
    link that leads to the tree of the newest commit."""
    repository: Repository | None = None
    description: str = ""
    web_url: str = ""
    """Its repository's page on the web, or how that names lines (`decide/grounding/web_link`); empty when it has
    none."""
    knowledge: tuple[Path, ...] = ()
    """Absolute paths of folders of tribal knowledge: notes of the team that answer questions."""
    notes: Path | None = None
    """The folder in the home that commands write the project's notes into; `None` where there is no home."""
    ignore: tuple[str, ...] = ()
    """Patterns of files that are neither read nor searched (`decide/retrieval/path_patterns`)."""
    languages: tuple[str, ...] = ()
    """The programming languages whose files the keyword engine prefers; none means all."""
    external: bool = True
    """True if people of another company may see what is answered from it."""

    @property
    def belongs_to(self) -> str:
        """The project as the settings name it."""
        return self.name.partition("/")[0]


MadeName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class MadeProject(Fact):
    """A project that was made by a command, as it is kept."""

    given: dict[str, str]
    """The keys of `projects.<name>` that a command may give, by the same rules (`triage/created_projects`)."""
    made_at: datetime
    told: str | None = None
    """The user who is to hear when its code is there; nobody once that was said."""


class SaidOfProjects(Fact):
    """`projects.json`: what commands have said of projects, beside `triage.yml`."""

    schema_version: Literal[1] = 1
    projects: dict[MadeName, MadeProject] = Field(default_factory=dict)
    paused: dict[str, datetime] = Field(default_factory=dict)
    """Those whose questions wait, and since when."""
    channels: dict[str, str | None] = Field(default_factory=dict)
    """The project of a channel, whatever `triage.yml` says; `None` for none."""
