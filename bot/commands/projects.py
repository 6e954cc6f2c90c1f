"""Overview of projects: the project or channel that a command names, and what waits for a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.channel_refs import resolve_channel
from bot.commands.command import NotDone
from bot.commands.field_order import ObjectNames
from bot.commands.nearest_name import LONGEST_WORD, suggest_sentence
from bot.errors import TriageError
from bot.triage.projects import assigned_project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.commands.active_project import ActiveProjects
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.projects import Projects

NONE = "none"
"""Word for no project."""


@dataclass(frozen=True, kw_only=True)
class ProjectOverview:
    """Lookup of projects and of what waits for them. `channel_names` maps watched channels to their names."""

    projects: Projects
    active: ActiveProjects
    orchestrator: Orchestrator
    controls: Controls
    channel_names: Mapping[str, str]

    @property
    def object_names(self) -> ObjectNames:
        """Names of projects and their roots, and of watched channels, that words of a command may be."""
        parts = self.projects.configured()
        shown = (name for part in parts for name in (part.name, part.display_name) if name)
        return ObjectNames(
            projects=(*self.projects.names, *self.projects.created, *shown),
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

    def describe_title(self, name: str) -> str:
        """Return a project's name, with the one that people see, as mrkdwn."""
        display_name = self.projects.display_name_of(name)
        return f"`{name}` ({escape(display_name)})" if display_name else f"`{name}`"

    def count_waiting_tasks(self, name: str) -> int:
        """Return the number of created tasks of a project that have not started."""
        tasks = self.orchestrator.open_threads.tasks.open.values()
        return sum(task.status == "collecting" and assigned_project(task) == name for task in tasks)

    def channels_of(self, name: str) -> str:
        """Return the channels of a project as mrkdwn; empty without any."""
        return ", ".join(f"<#{channel}>" for channel, project in self.projects.channels.items() if project == name)
