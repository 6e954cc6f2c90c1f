"""Views of projects: `list_projects`, `get_project`."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape, moment
from bot.commands.command import CommandAnswer
from bot.commands.inputs import EmptyInput
from bot.commands.project_inputs import MaybeProject
from bot.commands.registry import command
from bot.commands.state import count
from bot.models.command_data.projects import CodeData, ProjectData, ProjectsData
from bot.tools.roots import describe_move
from bot.triage.projects import assigned_project

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.models.project import Project
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class ProjectViews:
    """Commands that show projects."""

    overview: ProjectOverview

    @command(
        "list_projects",
        "lists the projects, with what waits for each",
        input=EmptyInput,
        role="operator",
        tier="read",
        untrusted="people",
        result=ProjectsData,
    )
    async def list_projects(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """List the projects, and those that cannot be used."""
        held_counts = await self._count_held()
        names = dict.fromkeys((*self._projects.names, *self._projects.problems))
        projects = [await asyncio.to_thread(self._build, name, held_counts[name], asker) for name in names]
        return CommandAnswer(
            line=f"{count(len(self._projects.names), 'project')}:",
            rows=(
                *(self._row(project) for project in projects if project.code),
                *(f"`{name}` cannot be used: {escape(why)}" for name, why in self._projects.problems.items()),
            ),
            data=ProjectsData(projects=tuple(projects)),
        )

    @command(
        "get_project",
        "shows one project: code, channels and pause",
        input=MaybeProject,
        role="operator",
        tier="read",
        untrusted="people",
        result=ProjectData,
    )
    async def get_project(self, request: MaybeProject, asker: Asker) -> CommandAnswer:
        """Show one project in full."""
        name = self.overview.resolve_project(request.project, asker)
        data = await asyncio.to_thread(self._build, name, (await self._count_held())[name], asker)
        if not data.code:
            keys = ", ".join(f"{key}: {escape(value)}" for key, value in self._projects.created[name].given.items())
            why = escape(data.problem or "")
            return CommandAnswer(line=f"`{name}` cannot be used: {why}", rows=(keys,), data=data)
        rows = [row for part in self._projects.roots_of(name) for row in _describe_code(part)]
        limit = f"at most {count(data.max_agents, 'task')}" if data.max_agents else "as many tasks as there are agents"
        rows.append(f"Weight {data.weight:g}; {limit} at the same time.")
        if data.created_at:
            rows.append(
                f"Created by a command {moment(data.created_at)}; `edit_project` and `delete_project` change it."
            )
        else:
            rows.append("It is defined in `triage.yml`; change it there.")
        rows.append(f"Channels: {self.overview.channels_of(name) or 'none'}.")
        is_one = data.waiting_questions + data.waiting_tasks == 1
        rows.append(f"{_describe_waiting(data)} {'waits' if is_one else 'wait'} for it.")
        return CommandAnswer(
            line=f"{self.overview.describe_title(name)} {_describe_state(data)}.", rows=tuple(rows), data=data
        )

    async def _count_held(self) -> Counter[str | None]:
        """Count the held questions by project."""
        return Counter(assigned_project(thread) for thread in await self.overview.load_held())

    def _build(self, name: str, held_count: int, asker: Asker) -> ProjectData:
        """Build a project's data; looks at the disk."""
        parts, records = self._projects.roots_of(name), self._projects.settings_by_command
        created = None if self._projects.is_of_settings(name) else records.projects.get(name)
        return ProjectData(
            name=name,
            display_name=self._projects.display_name_of(name) or None,
            description=next((part.description for part in parts if part.description), None),
            is_created=created is not None,
            created_at=created.made_at if created else None,
            code=tuple(map(_build_code, parts)),
            problem=self._find_problem(name, parts),
            paused_since=records.paused.get(name),
            channels=tuple(channel for channel, project in self._projects.channels.items() if project == name),
            weight=parts[0].weight if parts else 1.0,
            max_agents=parts[0].max_agents if parts else None,
            waiting_questions=held_count,
            waiting_tasks=self.overview.count_waiting_tasks(name),
            is_active=name == self.overview.find_conversation_project(asker),
        )

    def _find_problem(self, name: str, parts: tuple[Project, ...]) -> str | None:
        """Return why a project's code cannot be used now; `None` if it can."""
        if not parts:
            return self._projects.problems.get(name)
        missing = next((why for part in parts if (why := self._projects.missing_reason(part.name))), None)
        if missing:
            return f"has no code yet: {clip(missing, 200).rstrip('.')}"
        move = next((why for part in parts if (why := describe_move(part.root))), None)
        return f"cannot be read: {clip(move, 300)}" if move else None

    def _row(self, data: ProjectData) -> str:
        channels = self.overview.channels_of(data.name)
        waits = data.waiting_questions or data.waiting_tasks
        return "".join(
            (
                f"{self.overview.describe_title(data.name)} {_describe_state(data)}",
                f", {_describe_waiting(data)} waiting" if waits else "",
                f", {channels}" if channels else "",
                ", *active here*" if data.is_active else "",
                f": {escape(clip(data.description, 120))}" if data.description else "",
            )
        )

    @property
    def _projects(self) -> Projects:
        return self.overview.projects


def _describe_state(data: ProjectData) -> str:
    if data.paused_since:
        return f"is paused since {moment(data.paused_since)}"
    return escape(data.problem) if data.problem else "is ready"


def _describe_waiting(data: ProjectData) -> str:
    tasks = f" and {count(data.waiting_tasks, 'created task')}" if data.waiting_tasks else ""
    return f"{count(data.waiting_questions, 'question')}{tasks}"


def _build_code(part: Project) -> CodeData:
    source = part.repository
    return CodeData(
        name=part.name,
        root=None if source else str(part.root),
        repository=source.url if source else None,
        branch=source.branch or None if source else None,
        web_url=part.web_url or None,
    )


def _describe_code(part: Project) -> list[str]:
    source = part.repository
    where = f"{source.url}{f', branch {source.branch}' if source.branch else ''}" if source else str(part.root)
    description = f"Code{f' of {part.name}' if '/' in part.name else ''}: {escape(where)}"
    if part.web_url:
        description += f", {escape(part.web_url)}"
    return [description, *([escape(clip(part.description, 300))] if part.description else [])]
