"""Pauses of projects: `pause_project`, `resume_project`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.command import CommandAnswer
from bot.commands.project_inputs import ProjectInput
from bot.commands.registry import command
from bot.commands.state import count

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class ProjectPauses:
    """Commands that pause projects and resume them."""

    overview: ProjectOverview
    clock: Clock

    @command(
        "pause_project",
        "holds the questions and created tasks of a project; running work continues",
        input=ProjectInput,
        role="admin",
        tier="reversible",
        deed="a project was paused",
    )
    async def pause_project(self, request: ProjectInput, asker: Asker) -> CommandAnswer:
        """Pause a project: investigations that have not begun wait, and the cards say so."""
        name = self.overview.find_project(request.project)
        resume_hint = f"`/triage resume_project {name}` ends the pause."
        if name in self._projects.settings_by_command.paused:
            return CommandAnswer(line=f"`{name}` is paused already. {resume_hint}", is_unchanged=True)
        await self._projects.pause(name, self.clock.now())
        self.overview.orchestrator.notify(
            f"<@{asker.user_id}> has paused the project `{name}`: its questions and tasks wait. {resume_hint}"
        )
        others = (
            ""
            if self._projects.router
            else " A question that names no project goes to the other project that fits it best."
        )
        return CommandAnswer(
            line=f"Paused `{name}`: its questions and created tasks wait, running work continues to its end.{others} "
            f"{resume_hint}"
        )

    @command(
        "resume_project",
        "ends the pause of a project: its questions and created tasks go on",
        input=ProjectInput,
        role="admin",
        tier="reversible",
        deed="a project was resumed",
    )
    async def resume_project(self, request: ProjectInput, asker: Asker) -> CommandAnswer:
        """Resume a project: begin the investigations and tasks that waited."""
        name = self.overview.find_project(request.project)
        if name not in self._projects.settings_by_command.paused:
            return CommandAnswer(line=f"`{name}` was not paused.", is_unchanged=True)
        before, tasks = len(await self.overview.load_held()), self.overview.count_waiting_tasks(name)
        await self._projects.pause(name, None)
        await self.overview.release_held()
        if self.overview.controls.state != "running":
            return CommandAnswer(
                line=f"`{name}` resumes once Triage does, which is {self.overview.controls.state}: `/triage resume`."
            )
        started = before - len(await self.overview.load_held())
        self.overview.orchestrator.notify(f"<@{asker.user_id}> has resumed the project `{name}`.")
        also = f" and {count(tasks, 'created task')}" if tasks else ""
        back = f"`pause_project {name}` takes it back."
        return CommandAnswer(line=f"`{name}` has resumed. {count(started, 'question')}{also} had waited. {back}")

    @property
    def _projects(self) -> Projects:
        return self.overview.projects
