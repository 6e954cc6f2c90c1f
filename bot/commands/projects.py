"""Overview of projects: `list_projects`, `get_project`, and the project or channel that a command names."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape, moment
from bot.commands.channel_refs import resolve_channel
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.field_order import ObjectNames
from bot.commands.inputs import EmptyInput
from bot.commands.nearest_name import LONGEST_WORD, suggest_sentence
from bot.commands.project_inputs import MaybeProject
from bot.commands.registry import command
from bot.commands.state import count
from bot.errors import TriageError
from bot.tools.roots import describe_move
from bot.triage.projects import assigned_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.commands.active_project import ActiveProjects
    from bot.models.interaction import Asker
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.projects import Projects

NONE = "none"
"""Word for no project."""


@dataclass(frozen=True, kw_only=True)
class ProjectOverview:
    """Commands that show projects and assign them. `channel_names` maps watched channels to their names."""

    projects: Projects
    active: ActiveProjects
    orchestrator: Orchestrator
    controls: Controls
    channel_names: Mapping[str, str]

    @command(
        "list_projects",
        "lists the projects, with what waits for each, and those that cannot be used",
        input=EmptyInput,
        role="operator",
        tier="read",
        untrusted="people",
    )
    async def list_projects(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """List the projects, and those that cannot be used."""
        waiting = [assigned_project(thread) for thread in await self.load_held()]
        active = self.find_conversation_project(asker)
        rows = [
            await asyncio.to_thread(self._row, name, waiting.count(name), is_active=name == active)
            for name in self.projects.names
        ]
        rows += [f"`{name}` cannot be used: {escape(why)}" for name, why in self.projects.problems.items()]
        return CommandAnswer(line=f"{count(len(self.projects.names), 'project')}:", rows=tuple(rows))

    @command(
        "get_project",
        "shows one project: its code, its channels, and its pause",
        input=MaybeProject,
        role="operator",
        tier="read",
        untrusted="people",
    )
    async def get_project(self, request: MaybeProject, asker: Asker) -> CommandAnswer:
        """Show one project in full."""
        name = self.resolve_project(request.project, asker)
        if (why := self.projects.problems.get(name)) and not self.projects.is_of_settings(name):
            keys = ", ".join(f"{key}: {escape(value)}" for key, value in self.projects.created[name].given.items())
            return CommandAnswer(line=f"`{name}` cannot be used: {escape(why)}", rows=(keys,))
        parts = self.projects.roots_of(name)
        rows = [row for part in parts for row in self._describe_code(part)]
        rows.append(_describe_share(parts[0]))
        project_record = self.projects.created.get(name)
        if project_record and not self.projects.is_of_settings(name):
            rows.append(
                f"Created by a command {moment(project_record.made_at)}; `edit_project` and `delete_project` change it."
            )
        else:
            rows.append("It is defined in `triage.yml`; change it there.")
        rows.append(f"Channels: {self.channels_of(name) or 'none'}.")
        waiting = sum(assigned_project(thread) == name for thread in await self.load_held())
        rows.append(f"{count(waiting, 'question')} {'waits' if waiting == 1 else 'wait'} for it.")
        state = await asyncio.to_thread(self._describe_state, name)
        return CommandAnswer(line=f"{self._title(name)} {state}.", rows=tuple(rows))

    @property
    def object_names(self) -> ObjectNames:
        """Names of projects and their roots, and of watched channels, that words of a command may be."""
        roots = (part.name for part in self.projects.configured())
        return ObjectNames(
            projects=(*self.projects.names, *self.projects.created, *roots),
            channels=(*self.channel_names, *self.channel_names.values()),
        )

    def list_overrides(self) -> tuple[str, ...]:
        """List the settings that commands have overridden, for `config`."""
        overrides = self.projects.settings_by_command
        channels = ", ".join(f"<#{channel}> {name or NONE}" for channel, name in overrides.channels.items())
        created = ", ".join(f"`{name}`" for name in overrides.projects)
        new_channels = ", ".join(f"<#{channel}>" for channel in overrides.created_channels)
        paused = ", ".join(f"`{name}`" for name in overrides.paused if name in self.projects.names)
        return (
            *([f"Set by `set_project_channel`: {channels}."] if channels else []),
            *([f"Made by `create_project`: {created}."] if created else []),
            *([f"Channels created by `create_project`: {new_channels}."] if new_channels else []),
            *([f"Set by `pause_project`: {paused}."] if paused else []),
        )

    def find_project(self, project_name: str) -> str:
        """Return the project of this name. Raises `NotDone`."""
        names = (*self.projects.names, *self.projects.created)
        by_display_name = {title.lower(): name for name in names if (title := self.projects.display_name_of(name))}
        names_by_key = by_display_name | {name.lower(): name for name in names} | {name: name for name in names}
        word = project_name.strip().strip("`")
        if name := names_by_key.get(word) or names_by_key.get(word.lower()):
            return name
        shown_name = escape(clip(" ".join(project_name.split()), LONGEST_WORD)).replace("`", "'")
        near = suggest_sentence(project_name, names)
        raise NotDone(f"There is no project `{shown_name}`.{near} `list_projects` lists them all.")

    def find_changeable(self, project_name: str) -> str:
        """Return the project of this name that a command created. Raises `NotDone`."""
        name = self.find_project(project_name)
        if self.projects.is_of_settings(name):
            where = f"`{name}` is defined in `triage.yml`: change it there and start Triage again."
            raise NotDone(f"{where} `pause_project` and `set_project_channel` work here.")
        return name

    def find_conversation_project(self, asker: Asker) -> str | None:
        """Return the project of commands that name none (`ActiveProjects.find`)."""
        active = self.active.find(asker)
        return active.project if active else None

    def resolve_project(self, project_name: str, asker: Asker) -> str:
        """Return the named project; without a name, that of the conversation or channel, or the only one.

        Raises `NotDone`.
        """
        if project_name:
            return self.find_project(project_name)
        own = self.find_conversation_project(asker)
        if own or len(self.projects.names) == 1:
            return own or self.projects.names[0]
        which = "Which project? Name one, or say once `set_active_project`. `list_projects` has all."
        raise NotDone(which, missing="project")

    def resolve_channel(self, channel_name: str, asker: Asker) -> str:
        """Return the watched channel; without a name, the one being viewed or that of the command. Raises `NotDone`."""
        return resolve_channel(channel_name, asker, self.channel_names)

    async def load_held(self) -> list[Thread]:
        """Return the questions whose investigation waits."""
        threads = []
        for thread_id in sorted(self.orchestrator.waiting):
            try:
                thread = await self.orchestrator.store.load(thread_id)
            except TriageError:
                continue  # its next event rebuilds it
            if thread and self.orchestrator.why_held(thread):
                threads.append(thread)
        return threads

    async def release_held(self) -> None:
        """Begin the investigations that no longer need to wait."""
        if self.controls.state == "running":
            await self.orchestrator.release()

    def _row(self, name: str, waiting: int, *, is_active: bool) -> str:
        about = next((part.description for part in self.projects.roots_of(name) if part.description), "")
        channels = self.channels_of(name)
        return "".join(
            (
                f"{self._title(name)} {self._describe_state(name)}",
                f", {count(waiting, 'question')} waiting" if waiting else "",
                f", {channels}" if channels else "",
                ", *active here*" if is_active else "",
                f": {escape(clip(about, 120))}" if about else "",
            )
        )

    def _title(self, name: str) -> str:
        """Return a project's name, with the one that people see."""
        display_name = self.projects.display_name_of(name)
        return f"`{name}` ({escape(display_name)})" if display_name else f"`{name}`"

    def _describe_state(self, name: str) -> str:
        if since := self.projects.settings_by_command.paused.get(name):
            return f"is paused since {moment(since)}"
        missing: Iterable[str | None] = (
            self.projects.missing_reason(part.name) for part in self.projects.roots_of(name)
        )
        why = next((reason for reason in missing if reason), None)
        if why:
            return f"has no code yet: {escape(clip(why, 200).rstrip('.'))}"
        why = next((reason for part in self.projects.roots_of(name) if (reason := describe_move(part.root))), None)
        return f"cannot be read: {escape(clip(why, 300))}" if why else "is ready"

    def channels_of(self, name: str) -> str:
        """Return the channels of a project as mrkdwn; empty without any."""
        return ", ".join(f"<#{channel}>" for channel, project in self.projects.channels.items() if project == name)

    def _describe_code(self, part: Project) -> list[str]:
        source = part.repository
        where = f"{source.url}{f', branch {source.branch}' if source.branch else ''}" if source else str(part.root)
        description = f"Code{f' of {part.name}' if '/' in part.name else ''}: {escape(where)}"
        if part.web_url:
            description += f", {escape(part.web_url)}"
        return [description, *([escape(clip(part.description, 300))] if part.description else [])]


def _describe_share(project: Project) -> str:
    """Describe what a project gets of the agents that run created tasks."""
    most = f"at most {count(project.max_agents, 'task')}" if project.max_agents else "as many tasks as there are agents"
    return f"Weight {project.weight:g}; {most} at the same time."
