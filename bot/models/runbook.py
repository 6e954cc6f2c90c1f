"""Runbooks: those that may be proposed, and the end of a run."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import NonNegativeInt

from bot.models.fact import Fact
from bot.models.incident import RemedyOutcome


class RunbookProposal(Fact):
    """Runbook that may be proposed now, as an agent and a card see it."""

    name: str
    argv: tuple[str, ...]
    services: tuple[str, ...]
    timeout_s: float


class RunbookEnd(Fact):
    """End of the one run of an approved runbook."""

    run_id: str
    outcome: RemedyOutcome
    exit_code: int | None = None
    duration_ms: NonNegativeInt = 0
    output: str = ""
    """The end of its output, redacted and printable."""
    problem: str = ""
    """The reason why it did not start, or why its end is unknown, in a plain sentence."""


class RunbookTask(Fact):
    """Order for the process that runs a runbook, as saved in its folder before that process is started."""

    run_id: str
    runbook: str
    argv: tuple[str, ...]
    cwd: Path
    timeout_s: float
    at: datetime
    """Time of the order."""
