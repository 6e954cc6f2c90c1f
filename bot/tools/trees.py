"""Pinning of a project's tree: fixed at the start of a run, so that a fetch meanwhile changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.project import Project


def pin_tree(project: Project) -> Project:
    """Return the project with its current tree: the newest fetched commit as the root."""
    return project.evolve(root=project.root.resolve()) if project.repository else project
