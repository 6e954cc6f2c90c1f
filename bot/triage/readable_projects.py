"""Readable projects: those that external people around a question may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import Refused
from bot.models.external import KEPT_BACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.project import Project
    from bot.models.thread import Thread

_MEND = "they see nothing of a project that has `external: no` in triage.yml"


def filter_readable(thread: Thread, projects: Sequence[Project]) -> tuple[Project, ...]:
    """Return the projects that may answer a question.

    Raises `Refused` if that leaves none, or excludes the project that the question is about.
    """
    visible = tuple(project for project in projects if project.external)
    if thread.external is None or len(visible) == len(projects):
        return tuple(projects)
    about = thread.route.project if thread.route else ""
    if (
        about
        and any(_is_named(project, about) for project in projects)
        and not any(_is_named(candidate, about) for candidate in visible)
    ):
        why = f"people of another company would read what is answered from {about}"
        raise Refused(f"nothing was searched: {why}, and {_MEND}", code=KEPT_BACK)
    if not visible:
        raise Refused(f"nothing was searched: people of another company read this, and {_MEND}", code=KEPT_BACK)
    return visible


def find_withheld(thread: Thread, projects: Sequence[Project]) -> tuple[str, ...]:
    """Return the names of the projects left out of a search in all projects because of external people."""
    if thread.external is None or thread.route is not None:
        return ()
    return tuple(dict.fromkeys(project.belongs_to for project in projects if not project.external))


def uses_withheld_project(thread: Thread, projects: Sequence[Project]) -> bool:
    """Return whether a thread's draft is from a project that external people may not see."""
    return any(_is_named(project, thread.project or "") and not project.external for project in projects)


def _is_named(project: Project, name: str) -> bool:
    return name in (project.name, project.belongs_to)
