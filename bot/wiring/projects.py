"""Projects, and the repositories that their code is fetched from."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.checkouts.repositories import Repositories, repositories
from bot.adapters.json_file import DiskJsonFile
from bot.adapters.logs import PROGRESS
from bot.commands.active_project import ActiveProjects
from bot.tools.git_folder import source_folder
from bot.tools.index.places import forget, keep_only
from bot.triage.created_projects import owned_projects

if TYPE_CHECKING:
    from bot.adapters.home import Home
    from bot.config.settings import Settings
    from bot.ports.outbound import Clock
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ProjectState:
    """Projects, their repositories, and the project of each conversation."""

    repositories: Repositories
    projects: Projects
    active: ActiveProjects


async def load_projects(settings: Settings, home: Home, clock: Clock) -> ProjectState:
    """Fetch repositories for the first time, and load projects and what conversations are about."""
    fetched = repositories(
        settings.project_list,
        os.environ,
        clock,
        longest_run=timedelta(minutes=settings.investigator.hard_cap_runtime_min),
        source=source_folder,
        forget_index=partial(forget, home.indexes),
    )
    await fetched.begin(partial(log.log, PROGRESS))
    projects = await owned_projects(settings, home.path, DiskJsonFile(home.projects))
    for project in projects.all():
        if project.repository and project not in projects.settings:
            await fetched.add(project)
    projects.unfetched = fetched.missing_reason
    await asyncio.to_thread(keep_only, home.indexes, {project.belongs_to for project in projects.all()})
    active = ActiveProjects(file=DiskJsonFile(home.active_projects), project_exists=projects.is_known)
    await active.load()
    return ProjectState(repositories=fetched, projects=projects, active=active)
