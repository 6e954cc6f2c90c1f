"""Deletion of projects: `delete_project`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.command import CommandAnswer
from bot.commands.project_inputs import ProjectInput
from bot.commands.projects import assigned_project
from bot.commands.registry import command
from bot.commands.state import count

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.ports.outbound import Fetches
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class ProjectDeletion:
    """The command `delete_project`."""

    overview: ProjectOverview
    fetches: Fetches

    async def preview_delete(self, request: ProjectInput, _: Asker) -> str:
        """Refuse if there is no such project, or if it is defined in the settings only."""
        if self.overview.find_project(request.project) not in self._projects.created:
            self.overview.find_changeable(request.project)
        return ""

    @command(
        "delete_project",
        "deletes a project that a command created; its folder, tasks, notes and replies stay",
        input=ProjectInput,
        role="admin",
        tier="irreversible",
        deed="a project was deleted",
        names="project",
        preview=preview_delete,
    )
    async def delete_project(self, request: ProjectInput, _: Asker) -> CommandAnswer:
        """Delete a project with its pause, its channels and its use as active project."""
        name = self.overview.find_project(request.project)
        if name in self._projects.created and self._projects.is_of_settings(name):
            await self._projects.delete(name)
            return CommandAnswer(
                line=f"Deleted the `{name}` that a command created; that of `triage.yml` is unchanged."
            )
        name = self.overview.find_changeable(request.project)
        waiting = sum(assigned_project(thread) == name for thread in await self.overview.load_held())
        parts = self._projects.roots_of(name)
        await self._projects.delete(name)
        await self.overview.active.forget(name)
        for part in parts:
            self.fetches.drop(part.name)
        await self.overview.release_held()
        waiting_text = (
            f" {count(waiting, 'question')} waited for it, and will be answered from another project that fits."
        )
        kept_text = "Its folder, tasks, journals, notes and replies are kept."
        removed_text = (
            " Its fetched code is removed at the next start." if any(part.repository for part in parts) else ""
        )
        return CommandAnswer(line=f"Deleted `{name}`.{waiting_text if waiting else ''} {kept_text}{removed_text}")

    @property
    def _projects(self) -> Projects:
        return self.overview.projects
