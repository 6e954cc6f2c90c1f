"""Data of `run_command`."""

from __future__ import annotations

from bot.models.fact import Fact
from bot.models.program_run import ProgramOutcome


class RunData(Fact):
    """The one run of a declared command."""

    run_id: str
    command: str
    project: str
    argv: tuple[str, ...]
    folder: str
    is_isolated: bool
    outcome: ProgramOutcome
    exit_code: int | None
    """`None` if it did not end by itself."""
    duration_ms: int
    output: str
    """The end of its output, redacted and printable."""
    problem: str
    """The reason why it did not start, or why its end is unknown."""
