"""Start-up summary of `triage run`: state, engine, projects, reactions, rules and roles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.config.settings import Settings
    from bot.models.project import Project
    from bot.triage.controls import State
    from bot.triage.projects import Projects


def _format_project(project: Project) -> str:
    return f"{project.name} ({project.repository.url})" if project.repository else project.name


def banner(settings: Settings, all_projects: Projects, state: State = "running") -> list[str]:
    """Return a line for each setting, and lines for what commands changed: the state and the projects."""
    projects = ", ".join(map(_format_project, settings.project_list))
    lines = [] if state == "running" else [f"  {state}: `/triage resume` lets it go on"]
    lines += [f"  engine: {settings.engine}", f"  projects: {projects}"]
    lines += _by_command(all_projects)
    marks = settings.marks
    reactions = ", ".join(f"{state} :{name}:" for state, name in marks.names.items()) or "none"
    quiet = f"; none in {', '.join(sorted(marks.quiet))}" if marks.quiet else ""
    lines.append(f"  reactions: {reactions}{quiet}")
    if settings.routing is None or settings.routes is None:
        return [*lines, "  routing: none; each question goes to the project that fits its words best"]
    rules = settings.routing.rules
    lines.append(f"  routing: {len(rules)} rule{'' if len(rules) == 1 else 's'}, default {settings.routing.default}")
    router = settings.routes.router
    for name, role in settings.routes.roles.items():
        place = router.roles[name].place
        where = f"{place.project}/{place.folder}".removesuffix("/.") if place else "no folder"
        lines.append(f"  role {name}: {role.display_name}, {role.category}, {where}")
    return lines


def _by_command(all_projects: Projects) -> list[str]:
    """Return lines about projects that commands created, paused or could not load."""
    created = [
        project
        for name in all_projects.names
        for project in all_projects.roots_of(name)
        if project not in all_projects.settings
    ]
    lines = [f"  projects created by commands: {', '.join(map(_format_project, created))}"] if created else []
    if paused := [name for name in all_projects.names if name in all_projects.settings_by_command.paused]:
        lines.append(f"  paused: {', '.join(paused)}; resume_project starts it again")
    return [*lines, *(f"  project {name} cannot be used: {why}" for name, why in all_projects.problems.items())]
