"""Route: the role, project and folder for a thread, with the reason. A thread keeps its route."""

from __future__ import annotations

from bot.models.fact import Fact


class Route(Fact):
    """A route, chosen when a thread begins."""

    role: str
    """The role's name."""
    role_name: str
    """The display name of the role."""
    project: str
    folder: str = "."
    """The start folder in the project's root, as a relative POSIX path."""
    rule: int | None = None
    """The number of the matching rule in `routing.rules`, from 1; `None` for the default."""
    why: str
    """The reason, as a sentence for people."""
