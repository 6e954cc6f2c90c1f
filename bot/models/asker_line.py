"""A line that an asker is shown once: how their question ended without an answer, or why it waits."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact

Ending = Literal["failed", "expired", "stopped", "paused"]
"""`stopped`: it is not looked up as long as Triage is stopped; `paused`: the project of the question is."""


class AskerLine(Fact):
    """What is to be said, and whether it was begun to be."""

    at: datetime
    ending: Ending
    question_round: int
    why: str | None = None
    """Which guard ended the run (`models/task.Abort`)."""
    is_begun: bool = False
    """True if Slack was asked to show it; a crash since then loses it and never shows it twice."""
