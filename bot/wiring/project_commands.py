"""The commands of projects and channels, and the list of tasks, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.project_changes import ProjectChanges
from bot.commands.projects import ProjectOverview
from bot.commands.task_list import TaskList
from bot.surfaces.notices import Notices

if TYPE_CHECKING:
    from bot.commands.command import Preview, Run
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure


@dataclass(frozen=True, kw_only=True)
class ProjectCommands:
    """What there is of projects, the function of each command, and what those that wait for a press show."""

    overview: ProjectOverview
    runs: dict[str, Run]
    previews: dict[str, Preview]


def project_commands(ground: Infrastructure, orchestrator: Orchestrator, controls: Controls) -> ProjectCommands:
    """From here on who made a project hears of its first fetches, and an admin what the start could not read."""

    async def tell(user: str, text: str) -> None:
        await Notices(chat=ground.chat, bars=ground.members.bars, operator=user).tell(text)

    overview = ProjectOverview(
        projects=ground.projects,
        active=ground.active,
        orchestrator=orchestrator,
        channel_names=ground.channel_names,
    )
    changes = ProjectChanges(
        overview=overview,
        fetches=ground.repositories,
        controls=controls,
        clock=ground.clock,
        tell=tell,
        redactor=ground.redactor,
    )
    ground.repositories.begun = changes.fetched
    if ground.projects.lost:
        ground.to_admin.send(escape(ground.projects.lost))
    tasks = TaskList(overview=overview, url=ground.identity.url, redactor=ground.redactor)
    runs: dict[str, Run] = {
        "list_projects": overview.list_projects,
        "get_project": overview.get_project,
        "create_project": changes.create_project,
        "edit_project": changes.edit_project,
        "pause_project": changes.pause_project,
        "resume_project": changes.resume_project,
        "delete_project": changes.delete_project,
        "set_active_project": overview.set_active_project,
        "set_project_channel": overview.set_project_channel,
        "get_project_channels": overview.get_project_channels,
        "get_project_for_channel": overview.get_project_for_channel,
        "list_tasks": tasks.list_tasks,
    }
    previews: dict[str, Preview] = {
        "create_project": changes.preview_create,
        "edit_project": changes.preview_edit,
        "delete_project": changes.preview_delete,
        "set_project_channel": overview.preview_channel,
    }
    return ProjectCommands(overview=overview, runs=runs, previews=previews)
