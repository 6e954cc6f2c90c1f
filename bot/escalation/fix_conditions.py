"""Conditions of fixes: what a project, the settings and this machine need for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.isolation import boundary

if TYPE_CHECKING:
    from bot.config.settings import Settings
    from bot.models.project import Project
    from bot.ports.forge import Forge


def find_project_fault(project: Project, settings: Settings, forge: Forge) -> str:
    """Return the reason why no fix of a project's code can be drafted, as a sentence; empty if one can."""
    if settings.engine != "claude":
        return "No model drafts one: the settings have no `engine: claude`."
    if project.check is None:
        return f"The project {project.belongs_to} has no check: `projects.{project.belongs_to}.check` declares it."
    if fault := find_isolation_fault(settings):
        return fault
    if project.repository is None:
        return f"The code of {project.name} is not fetched from a repository, so there is none to push to."
    if fault := forge.find_fault(project.repository.url):
        return f"{fault[:1].upper()}{fault[1:]}."
    return ""


def find_isolation_fault(settings: Settings) -> str:
    """Return the reason why no fix may be drafted on this machine, as a sentence; empty if one may.

    The check runs code that an agent wrote, which no person has read. Without a boundary an admin must have accepted
    that, by `security.isolation: off`.
    """
    limits = boundary()
    if limits.bwrap or settings.security.isolation == "off":
        return ""
    return f"The check would run code that an agent wrote, and programs are not isolated here: {limits.problem}."
