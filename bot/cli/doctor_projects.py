"""Checks of projects for `triage doctor`: readable code, git, and projects created by commands."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.cli.doctor_check import DoctorCheck
from bot.errors import TriageError
from bot.models.markup import named_time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import tzinfo
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.models.project import Fetched, Project
    from bot.ports.storage import Storage


async def check_created_projects(path: Path, storage: Storage, settings: Settings | None) -> AsyncIterator[DoctorCheck]:
    """Check the projects that `projects.json` of the home at `path` adds to the settings."""
    from bot.triage.created_projects import load_projects

    if settings is None or not await asyncio.to_thread(path.is_dir):
        return
    projects, problem = await load_projects(settings, path, storage.json_file("projects"))
    if problem:
        yield DoctorCheck("projects.json", False, f"{problem}; `triage run` moves it away and starts without it")
    for name in projects.names:
        for project in projects.roots_of(name):
            if project not in projects.settings:
                yield await asyncio.to_thread(check_code, project, ZoneInfo(settings.timezone))
    for name, why in projects.problems.items():
        yield DoctorCheck(f"project {name}", False, f"created by a command, cannot be used: {why}")
    for name, since in projects.settings_by_command.paused.items():
        if name in projects.names:
            paused_at = named_time(since, ZoneInfo(settings.timezone))
            yield DoctorCheck(f"project {name}", None, f"paused since {paused_at}; resume_project starts it again")


def check_code(project: Project, zone: tzinfo) -> DoctorCheck:
    """Check that a project's folder is readable; for a repository name the fetched commit, with times in `zone`."""
    from bot.adapters.checkouts import read_state
    from bot.config.projects import unreadable_reason

    name, source = f"project {project.name}", project.repository
    state = read_state(project.root.parent) if source else None
    if source and state is None:
        return DoctorCheck(name, None, f"{source.url} was never fetched; `triage run` fetches it at its start")
    if problem := unreadable_reason(project.root):
        return DoctorCheck(name, False, problem)
    try:
        return _entries(project, state, zone)
    except OSError as refusal:
        return DoctorCheck(name, False, f"{project.root} cannot be read by this user: {refusal.strerror}")


async def check_commits(project: Project) -> DoctorCheck | None:
    """Check that git reads the repository around a project's folder; return `None` if so, or if there is none."""
    from bot.tools import git

    try:
        if not await asyncio.to_thread(git.has_repository, project.root):
            return None
        await git.commit_sha(project.root, "HEAD")
    except OSError:
        return None  # an unreadable folder, which `check_code` reports
    except TriageError as problem:
        return DoctorCheck(
            f"project {project.name}", None, f"git reads no commit there: no commits, no links ({problem})"
        )
    return None


def _entries(project: Project, state: Fetched | None, zone: tzinfo) -> DoctorCheck:
    name, source = f"project {project.name}", project.repository
    from blocks.text import format_count

    files = sum(1 for path in project.root.iterdir() if not path.name.startswith("."))
    entries = format_count(files, "entry", "entries")
    if source is None or state is None:
        return DoctorCheck(name, files > 0, f"{project.root}, {entries}")
    detail = f"{source.url} at {state.commit[:12]}, fetched {named_time(state.at, zone)}, {entries}"
    return DoctorCheck(
        name, files > 0 and not state.problem, f"{detail}; not since: {state.problem}" if state.problem else detail
    )
