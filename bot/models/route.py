"""A route: which role works on a thread, in which project and folder, and why. A thread keeps its own."""

from __future__ import annotations

from bot.models.fact import Fact


class Route(Fact):
    """Chosen by `decide/router` when a thread begins."""

    role: str
    """The role's name."""
    role_name: str
    """What people call it."""
    project: str
    folder: str = "."
    """Where in the project's root the work begins, as a relative POSIX path."""
    rule: int | None = None
    """Which rule of `routing.rules` took it, from 1; `None` for the default."""
    why: str
    """A sentence for people."""
