"""Inputs of commands on repositories and their branches: one model each."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator, model_validator

from bot.commands.inputs import ProjectNamed
from bot.commands.inputs_work import FirstLine, Task
from bot.commands.nearest_name import suggest_clause
from bot.models.fact import Fact
from bot.models.merge_request import MAX_TITLE
from bot.models.workspace import BRANCH_PREFIX, RepositoryKind, Slug

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FOLDERS = re.compile(r"[/\\]+")


def _parse_kind(value: Any) -> Any:
    word = str(value).strip().lower()
    if word not in get_args(RepositoryKind):
        raise ValueError(f"expected clone, link or init{suggest_clause(word, get_args(RepositoryKind))}")
    return word


def _parse_branch(value: Any) -> Any:
    """Parse the name of a branch of Triage, with or without `triage/`."""
    text = str(value).strip().strip("`").removeprefix("refs/heads/").removeprefix(BRANCH_PREFIX)
    if _FOLDERS.search(text):
        raise ValueError("expected a name without slashes, such as fix-flyout: Triage's branches are triage/<name>")
    return text


def _parse_repository_name(value: Any) -> Any:
    text = str(value).strip()
    if text and not _NAME.fullmatch(text):
        raise ValueError("expected 1 to 64 letters, digits, dots, dashes and underscores, such as api")
    return text


_ABOUT = "A branch of Triage, by default the current one."
Branch = Annotated[Slug, BeforeValidator(_parse_branch), Field(description="Its name, such as fix-flyout.")]
MaybeBranch = Annotated[
    Slug | Literal[""], BeforeValidator(_parse_branch), WithJsonSchema({"type": "string", "description": _ABOUT})
]
Base = Annotated[str, Field(max_length=250, description="A branch or commit.")]


class NewRepository(Fact):
    """A further repository of a project: an address to clone, a folder to link, or a new empty one."""

    source: Annotated[
        RepositoryKind,
        BeforeValidator(_parse_kind),
        Field(description="Where it comes from."),
    ]
    project: ProjectNamed = ""
    address: Annotated[str, Field(max_length=500, description="Address, or path of a folder.")] = ""
    name: Annotated[str, BeforeValidator(_parse_repository_name), Field(description="Its own name.")] = ""
    branch: Annotated[str, Field(max_length=250, description="Its default one.")] = ""

    @model_validator(mode="after")
    def _has_what_its_source_needs(self) -> Self:
        if self.source == "init" and (self.address or self.branch):
            raise ValueError("expected neither address nor branch with source=init: it begins empty, on main")
        if self.source == "clone" and not self.address:
            raise ValueError("expected the address to clone, such as https://github.com/example/shop")
        if self.source == "link" and not (self.address.startswith(("/", "~/"))):
            raise ValueError("expected the whole path of a folder to link, such as /srv/shop")
        return self


class OfRepository(Fact):
    """A project, or one of its repositories such as `shop/api`; without one, that of the conversation."""

    project: ProjectNamed = ""


class AddedRepository(Fact):
    """A repository that a command added, such as `shop/api`."""

    project: ProjectNamed


class NewBranch(Fact):
    """A branch to create, its repository, and the commit at which it begins."""

    branch: Branch
    project: ProjectNamed = ""
    base: Base = ""


class ChosenBranch(Fact):
    """A branch to work on; the name of the default branch ends that."""

    branch: Annotated[str, Field(min_length=1, max_length=250, description="Its name.")]
    project: ProjectNamed = ""


class NewCommit(Fact):
    """A commit of all changes of a branch."""

    project: ProjectNamed = ""
    branch: MaybeBranch = ""
    message: Annotated[str, Field(min_length=1, max_length=5_000, description="The commit's message.")]

    @field_validator("message")
    @classmethod
    def _says_something(cls, message: str, _: ValidationInfo) -> str:
        if not any(map(str.isalnum, message)):
            raise ValueError("expected a message of words, such as Close the flyout on blur")
        return message


class OfBranch(Fact):
    """A branch of a repository."""

    branch: MaybeBranch = ""
    project: ProjectNamed = ""


class NewMergeRequest(Fact):
    """A merge request of a pushed branch; by default with the subjects of its commits."""

    project: ProjectNamed = ""
    branch: MaybeBranch = ""
    body: Annotated[str, Field(max_length=1_500, description="What and why.")] = ""
    title: Annotated[str, Field(max_length=MAX_TITLE, description="Its title.")] = ""


class ChangedFiles(Fact):
    """A branch, and the commit or branch to compare it with."""

    base: Base = ""
    branch: MaybeBranch = ""
    project: ProjectNamed = ""


class BranchLog(Fact):
    """Number of commits to list, and a branch or a commit up to which."""

    count: Annotated[int, Field(ge=1, le=50, description="Number of commits.")] = 10
    branch: Base = ""
    project: ProjectNamed = ""


class BranchDiff(Fact):
    """A branch, the commit or branch to compare it with, the file or folder to show, and the patch's first line."""

    path: Annotated[str, Field(max_length=1_000, description="A file or folder.")] = ""
    base: Base = ""
    branch: MaybeBranch = ""
    project: ProjectNamed = ""
    first: FirstLine = 1


class TaskDiff(Fact):
    """A task, whose branch has its name."""

    task: Task | None = None
