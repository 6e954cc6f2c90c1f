"""Task and end of the process that drafts a fix: contents of `task.json` and `return.json` in `fixes/<run_id>/`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from bot.models.declared_command import DeclaredCheck
from bot.models.fact import Fact
from bot.models.findings import InvestigatorReturn
from bot.models.fix import MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS, FixResult, NamedDefect
from bot.models.session import Outcome, SessionId
from bot.models.thread_id import ThreadId
from bot.models.workspace import FileChange


class FixTask(Fact):
    """Input of the process."""

    schema_version: Literal[1] = 1
    run_id: str
    session_id: SessionId
    thread_id: ThreadId
    project: str
    """`shop`, or `shop/api` for one root of a project."""
    description: str = ""
    """The project's."""
    ignore: tuple[str, ...] = ()
    """Patterns of files that are neither read nor changed."""
    links: tuple[str, ...] = ()
    """Paths of the repository's symbolic links: plain files in the workspace, which are never changed."""
    check: DeclaredCheck
    folder: Path
    """Folder of the workspace."""
    base: str
    """SHA of the commit that it was at, without any change."""
    defect: NamedDefect
    question: str
    findings: InvestigatorReturn
    settings_file: Path | None = None
    """Settings of the bot; `None` for its defaults."""
    home: Path
    usd: float
    """Maximum cost in US dollars; it is held against the day's cap before the start."""
    seconds: float
    """Time limit of its agents together."""
    most_seconds: float
    """Time limit of the process, its checks included."""
    at: datetime
    """Time at which it was saved."""


class DraftedFile(Fact):
    """A file as the edit tools left it."""

    change: FileChange
    digest: str
    """SHA-256 of its content; empty if it is deleted."""


class FixDraft(Fact):
    """Change that passed the check and the validator, in the workspace; not committed yet."""

    files: Annotated[tuple[DraftedFile, ...], Field(min_length=1)]
    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARS)]
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION_CHARS)]


class FixReturn(Fact):
    """Result of the process."""

    schema_version: Literal[1] = 1
    session_id: SessionId
    outcome: Outcome
    """`answered` if the rounds came to their end, with a draft or without; else the kind of the reason."""
    draft: FixDraft | None = None
    result: FixResult
    """The rounds, and the reason why there is no draft; without proposal and cost."""
