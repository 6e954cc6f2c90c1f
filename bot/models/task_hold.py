"""Hold: a reason why a created task does not start now."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact

HoldReason = Literal[
    "project-gone",
    "dependencies",
    "project-paused",
    "project-unusable",
    "no-project",
    "no-agent",
    "paused",
    "stopped",
    "budget",
    "max-agents",
    "slots",
]
"""`project-gone`: its project no longer exists. `no-project`: it names none, and every project is paused or without
code. `no-agent`: no agent works on its project. `paused`, `stopped`: Triage is. `slots`: no agent that works on its
project has a free slot."""


class TaskHold(Fact):
    """A reason why a task does not start now."""

    reason: HoldReason
    project: str = ""
    """Project that the reason is about; empty without one."""
    tasks: tuple[str, ...] = ()
    """Names of the tasks that are not completed; of one whose document is gone its thread's id."""
    detail: str = ""
    """Reason why the project cannot be used."""
    limit: int | None = None
    """Maximum number of the project's tasks at the same time."""

    @property
    def bare(self) -> TaskHold:
        """Return the hold without names of tasks and without details, which are words of people."""
        return self.evolve(tasks=(), detail="")

    @property
    def is_final(self) -> bool:
        """Return whether the task never starts unless a person changes it."""
        return self.reason == "project-gone"
