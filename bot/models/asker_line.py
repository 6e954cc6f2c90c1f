"""Line shown once to an asker: how their question ended without an answer, or why it waits."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bot.models.fact import Fact

Ending = Literal["failed", "expired", "stopped", "paused"]
"""`stopped`: not looked up while Triage is stopped; `paused`: the question's project is paused."""


class AskerLine(Fact):
    """A line for the asker, and whether Slack was already asked to show it."""

    at: datetime
    ending: Ending
    question_round: int
    why: str | None = None
    """The guard that ended the run (`models/task.Abort`)."""
    is_begun: bool = False
    """True if Slack was asked to show it; after a crash it may be lost, but it is never shown twice."""
