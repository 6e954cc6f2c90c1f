"""Run of a program of the settings, once, by a person's press: its task, and its result."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, NonNegativeInt

from bot.models.fact import Fact

ProgramOutcome = Literal["succeeded", "failed", "timed-out", "not-started", "unknown"]
"""`not-started`: nothing was run; `unknown`: it was started, and its end was not seen. It is not started again."""


class ProgramResult(Fact):
    """Result of the one run of a program."""

    run_id: str
    outcome: ProgramOutcome
    exit_code: int | None = None
    duration_ms: NonNegativeInt = 0
    output: str = ""
    """The end of its output, redacted and printable."""
    problem: str = ""
    """The reason why it did not start, or why its end is unknown, in a plain sentence."""


class CheckReport(Fact):
    """Report of one run of a project's check in a workspace."""

    exit_code: int | None
    """`None` if it did not come to its end."""
    duration_ms: NonNegativeInt
    output: str
    """The end of its output, redacted and printable; untrusted."""
    problem: str = ""
    """The reason why it did not start, or was ended, in a plain sentence."""
    is_isolated: bool

    @property
    def has_passed(self) -> bool:
        """Return whether the check found nothing wrong."""
        return self.exit_code == 0


class ProgramTask(Fact):
    """Task of the process that runs a program, as saved in its folder before that process is started."""

    run_id: str
    name: str = Field(validation_alias=AliasChoices("name", "runbook"))
    """Name in the settings."""
    argv: tuple[str, ...]
    cwd: Path
    timeout_s: float
    at: datetime
    """Time of the task."""
    variables: dict[str, str] = Field(default_factory=dict)
    """Variables of the program that replace those of its process."""
    workspace: Path | None = None
    """Folder of the workspace that it works in; `None` for a folder that nothing changes."""
    writes: bool = False
    """True if it may write in the workspace."""
