"""The code bases that questions are answered from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from bot.config.sections.base import BranchName, IgnorePattern, ProjectName, Section, TeamId, VariableName
from bot.decide.grounding import web_link
from bot.decide.repository_address import address_problem
from bot.decide.retrieval.code_languages import EXTENSIONS
from bot.models.project import Repository


def _is_known(language: str) -> str:
    if language.lower() not in EXTENSIONS:
        raise ValueError(f"expected one of {', '.join(EXTENSIONS)}, got {language!r}")
    return language.lower()


Language = Annotated[str, AfterValidator(_is_known)]


class CodeSection(Section):
    """Where code lies: in a folder, or in a repository that is fetched."""

    root: Path | None = None
    """Its folder; a relative path starts at the settings file."""
    repository: str = ""
    """Instead of `root`: an `https://`, `ssh://` or `file://` address, or a path, that is fetched into the home."""
    branch: BranchName = ""
    """Of the repository; the one that its HEAD names where nothing is given."""
    refresh_min: Annotated[float, Field(ge=1, le=10_080)] = 15
    """Minutes between two fetches."""
    token_env: VariableName | None = None
    """The variable of the environment that holds a token for an `https://` repository; never the token itself."""
    max_mb: Annotated[int, Field(ge=1, le=100_000)] = 2_000
    """How large the clone may become, and the files of a commit."""
    web_url: str = ""
    """Its repository's page, such as https://github.com/team/project: evidence on cards and in replies links there.
    GitHub's form of links is used, or GitLab's where the host is called so. For any other, the whole form of a link:
    https://code.example/{path}?at={commit}#{first}-{last}."""
    ignore: tuple[IgnorePattern, ...] = ()
    """Files that are neither read nor searched, as `.gitignore` writes them, such as vendor/**."""
    languages: tuple[Language, ...] = ()
    """The programming languages whose files the keyword engine prefers."""

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
        """Where it is fetched from, as a plain value."""
        return self.repository_at(self.repository) if self.repository else None

    def repository_at(self, url: str) -> Repository:
        """The same with another spelling of the address."""
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
    """References say nothing of it; cards and `triage route` call the root `project/name`."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if (self.root is None) == (not self.repository):
            raise ValueError("expected either root or repository")
        return self


class ProjectSection(CodeSection):
    """A code base that questions are answered from."""

    roots: tuple[RootSection, ...] = ()
    """Instead of `root` or `repository`: several of them. An investigation works in one, whose files and commits its
    references name: that of the role's or rule's `cwd`, else the one that fits the question best."""
    description: str = ""
    knowledge: tuple[Path, ...] = ()
    """Folders of tribal knowledge, such as notes and runbooks; a relative path starts at the settings file. A note that
    an operator keeps goes into the first one."""
    operators: tuple[TeamId, ...] = ()
    """Who may decide, too, on what is answered from this project: users or user groups."""
    external: bool = True
    """True if people of another company may see what is answered from it: `no` leaves it out of the search where one of
    them asks, or reads along in a shared channel."""
    on_call: tuple[TeamId, ...] = ()
    """Whom Ask an Owner asks where CODEOWNERS leads to nobody that `owners` knows."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if [self.root is not None, bool(self.repository), bool(self.roots)].count(True) != 1:
            raise ValueError("expected one of root, repository and roots")
        names = [root.name for root in self.roots]
        if len({*names}) != len(names):
            raise ValueError("expected another name for each of roots")
        return self
