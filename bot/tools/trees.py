"""Which tree a run reads: fixed at its start, so that a fetch in the meantime changes nothing under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.project import Project


def pinned(project: Project) -> Project:
    """The project as it is now: where it is fetched, with the tree of today's newest commit for its root."""
    return project.evolve(root=project.root.resolve()) if project.repository else project
