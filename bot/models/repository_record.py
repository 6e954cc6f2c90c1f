"""Content of `repositories.json`: repositories that commands added to projects, and chosen branches."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.models.fact import Fact
from bot.models.message import SlackId
from bot.models.workspace import RepositoryKind, Slug

RepositoryName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
]
"""Name of a repository that a command added: its project, and its own name there."""


class StoredRepository(Fact):
    """A repository that a command added, as stored."""

    kind: RepositoryKind
    address: str = ""
    """Address or folder as given; empty for one that began empty in the home."""
    branch: str = ""
    """Default branch as given; if empty, that of the remote."""
    by: SlackId
    at: datetime


class RepositoryRecords(Fact):
    """Added repositories by name, and the branch that each person works on in each repository."""

    schema_version: Literal[1] = 1
    repositories: dict[RepositoryName, StoredRepository] = Field(default_factory=dict)
    choices: dict[str, Slug | Literal[""]] = Field(default_factory=dict)
    """Branch of Triage by person and repository, `U0123 shop/api`; empty for the default branch."""
