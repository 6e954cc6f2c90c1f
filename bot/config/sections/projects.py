"""Settings of projects: the code that answers are drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from bot.config.sections.base import BranchName, IgnorePattern, ProjectName, Section, TeamId, VariableName
from bot.config.sections.commands import CheckSection
from bot.decide.grounding import web_link
from bot.decide.repository_address import address_problem
from bot.decide.retrieval.code_languages import EXTENSIONS
from bot.models.project import RESERVED_NAMES, MaxAgents, Repository, Weight


def _is_known(language: str) -> str:
    if language.lower() not in EXTENSIONS:
        raise ValueError(f"expected one of {', '.join(EXTENSIONS)}, got {language!r}")
    return language.lower()


Language = Annotated[str, AfterValidator(_is_known)]


def _is_free(name: str) -> str:
    if name.lower() in RESERVED_NAMES:
        raise ValueError("expected another name: none means no project, and all means each of them")
    return name


ProjectKey = Annotated[ProjectName, AfterValidator(_is_free)]
"""Name of a project in the settings; commands take the reserved ones for something else."""


class CodeSection(Section):
    """Location of code: a folder, or a repository that is fetched."""

    root: Path | None = None
    """Folder of the code; a relative path starts at the settings file."""
    repository: str = ""
    """Instead of `root`: an `https://`, `ssh://` or `file://` address, or a path, to fetch into the home."""
    branch: BranchName = ""
    """Branch of the repository; its HEAD's by default."""
    refresh_min: Annotated[float, Field(ge=1, le=10_080)] = 15
    """Minutes between two fetches."""
    token_env: VariableName | None = None
    """Variable of the environment that holds a token for an `https://` repository; never the token itself."""
    max_mb: Annotated[int, Field(ge=1, le=100_000)] = 2_000
    """Maximum size of the clone, and of the files of a commit, in megabytes."""
    web_url: str = ""
    """Web page of the repository, such as `https://github.com/team/project`; evidence on cards and in replies links
    there. Links have GitHub's form, or GitLab's if the host's name says so. For other hosts give the whole form of a
    link: `https://code.example/{path}?at={commit}#{first}-{last}`."""
    ignore: tuple[IgnorePattern, ...] = ()
    """Patterns of files that are neither read nor searched, as in `.gitignore`, such as `vendor/**`."""
    languages: tuple[Language, ...] = ()
    """Programming languages whose files the keyword engine prefers."""

    @field_validator("web_url")
    @classmethod
    def _is_a_page(cls, web_url: str) -> str:
        if web_url and (problem := web_link.complaint(web_url)):
            raise ValueError(problem)
        return web_url

    @field_validator("repository")
    @classmethod
    def _is_an_address(cls, address: str) -> str:
        if problem := address_problem(address):
            raise ValueError(problem)
        return address

    @model_validator(mode="after")
    def _token_fits(self) -> Self:
        if self.token_env and not self.repository.startswith("https://"):
            raise ValueError("expected token_env beside an https:// repository only")
        return self

    @property
    def source(self) -> Repository | None:
        """Return the repository as a plain value, or `None`."""
        return self.repository_at(self.repository) if self.repository else None

    def repository_at(self, url: str) -> Repository:
        """Return the repository with another spelling of its address."""
        return Repository(
            url=url,
            branch=self.branch,
            refresh_min=self.refresh_min,
            token_env=self.token_env,
            max_mb=self.max_mb,
        )


class RootSection(CodeSection):
    """One of several roots of a project."""

    name: ProjectName
    """Name of the root; cards and `triage route` show `project/name`, references do not."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if (self.root is None) == (not self.repository):
            raise ValueError("expected either root or repository")
        return self


class ProjectSection(CodeSection):
    """Project: code that questions are answered from."""

    roots: tuple[RootSection, ...] = ()
    """Several roots, instead of `root` or `repository`. An investigation works in one root: that of the role's or
    rule's `cwd`, else the one that fits the question best. References name that root's files and commits."""
    name: Annotated[str, Field(max_length=80)] = ""
    """Name shown to people; commands, channels and questions use the key of the project."""
    description: str = ""
    """Subject of the project in a sentence; its words help to find the project of a question."""
    knowledge: tuple[Path, ...] = ()
    """Folders of team knowledge, such as notes and runbooks; a relative path starts at the settings file. Notes that an
    operator saves go into the first one."""
    operators: tuple[TeamId, ...] = ()
    """Additional operators for answers from this project: users or user groups."""
    external: bool = True
    """True if people of other companies may see answers from this project; `no` excludes it from search when one of
    them asks, or reads along in a shared channel."""
    weight: Weight = 1.0
    """Share of the created tasks that start, relative to other projects: with 2 twice as many as with 1."""
    max_agents: MaxAgents | None = None
    """Maximum number of its created tasks that run at the same time; by default as many as there are agents."""
    check: CheckSection | None = None
    """Check of a workspace: the program that says if the code is sound; none by default."""
    on_call: tuple[TeamId, ...] = ()
    """Users or groups for Ask an Owner when CODEOWNERS names nobody in `owners`."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if [self.root is not None, bool(self.repository), bool(self.roots)].count(True) != 1:
            raise ValueError("expected one of root, repository and roots")
        names = [root.name for root in self.roots]
        if len({*names}) != len(names):
            raise ValueError("expected another name for each of roots")
        return self
