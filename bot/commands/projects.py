"""Overview of projects: `list_projects`, `get_project`, and the project or channel that a command names."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape, moment
from bot.commands.channel_refs import watched_channel
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.counts import count
from bot.commands.inputs import EmptyInput
from bot.commands.nearest_name import LONGEST_WORD, suggestion
from bot.commands.project_inputs import MaybeProject
from bot.commands.registry import command
from bot.errors import TriageError
from bot.tools.roots import moved

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.commands.active_project import ActiveProjects
    from bot.models.interaction import Asker
    from bot.models.project import Project
    from bot.models.thread import Thread
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
        waiting = [goes_to(thread) for thread in await self.held()]
        active = self.active.of(asker.conversation)
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
    async def get_project(self, asked: MaybeProject, asker: Asker) -> CommandAnswer:
        """Show one project in full."""
        name = self.meant(asked.project, asker)
        if (why := self.projects.problems.get(name)) and not self.projects.is_of_settings(name):
            keys = ", ".join(f"{key}: {escape(value)}" for key, value in self.projects.made[name].given.items())
            return CommandAnswer(line=f"`{name}` cannot be used: {escape(why)}", rows=(keys,))
        rows = [row for part in self.projects.of(name) for row in self._code(part)]
        made = self.projects.made.get(name)
        if made and not self.projects.is_of_settings(name):
            rows.append(f"Created by a command {moment(made.made_at)}; `edit_project` and `delete_project` change it.")
        else:
            rows.append("It is defined in `triage.yml`; change it there.")
        rows.append(f"Channels: {self.channels_of(name) or 'none'}.")
        waiting = sum(goes_to(thread) == name for thread in await self.held())
        rows.append(f"{count(waiting, 'question')} {'waits' if waiting == 1 else 'wait'} for it.")
        return CommandAnswer(line=f"`{name}` {await asyncio.to_thread(self._state, name)}.", rows=tuple(rows))

    def said(self) -> tuple[str, ...]:
        """List the settings that commands have overridden, for `config`."""
        said = self.projects.said
        channels = ", ".join(f"<#{channel}> {name or NONE}" for channel, name in said.channels.items())
        made = ", ".join(f"`{name}`" for name in said.projects)
        paused = ", ".join(f"`{name}`" for name in said.paused if name in self.projects.names)
        return (
            *([f"Set by `set_project_channel`: {channels}."] if channels else []),
            *([f"Made by `create_project`: {made}."] if made else []),
            *([f"Set by `pause_project`: {paused}."] if paused else []),
        )

    def named(self, said: str) -> str:
        """Return the project of this name. Raises `NotDone`."""
        names = (*self.projects.names, *self.projects.made)
        known = {name.lower(): name for name in names} | {name: name for name in names}
        word = said.strip().strip("`")
        if name := known.get(word) or known.get(word.lower()):
            return name
        shown = escape(clip(" ".join(said.split()), LONGEST_WORD)).replace("`", "'")
        near = suggestion(said, names)
        raise NotDone(f"There is no project `{shown}`.{near} `list_projects` lists them all.")

    def about(self, asker: Asker) -> str | None:
        """Return the project of the conversation, else of its channel or of the channel being viewed; `None` without
        any."""
        channels = self.projects.channels
        own = self.active.of(asker.conversation)
        return own or channels.get(asker.channel_id) or channels.get(asker.looks_at)

    def meant(self, said: str, asker: Asker) -> str:
        """Return the named project; without a name, that of the conversation or channel, or the only one.

        Raises `NotDone`.
        """
        if said:
            return self.named(said)
        own = self.about(asker)
        if own or len(self.projects.names) == 1:
            return own or self.projects.names[0]
        which = "Which project? Name one, or say once `set_active_project`. `list_projects` has all."
        raise NotDone(which, missing="project")

    def channel(self, said: str, asker: Asker) -> str:
        """Return the watched channel; without a name, the one being viewed or that of the command. Raises `NotDone`."""
        return watched_channel(said or asker.looks_at or asker.channel_id, self.channel_names)

    async def held(self) -> list[Thread]:
        """Return the questions whose investigation waits."""
        found = []
        for thread_id in sorted(self.orchestrator.held):
            try:
                thread = await self.orchestrator.store.load(thread_id)
            except TriageError:
                continue  # its next event rebuilds it
            if thread and self.orchestrator.why_held(thread):
                found.append(thread)
        return found

    def _row(self, name: str, waiting: int, *, is_active: bool) -> str:
        about = next((part.description for part in self.projects.of(name) if part.description), "")
        channels = self.channels_of(name)
        return "".join(
            (
                f"`{name}` {self._state(name)}",
                f", {count(waiting, 'question')} waiting" if waiting else "",
                f", {channels}" if channels else "",
                ", *active here*" if is_active else "",
                f": {escape(clip(about, 120))}" if about else "",
            )
        )

    def _state(self, name: str) -> str:
        if since := self.projects.said.paused.get(name):
            return f"is paused since {moment(since)}"
        missing: Iterable[str | None] = (self.projects.unfetched(part.name) for part in self.projects.of(name))
        why = next((said for said in missing if said), None)
        if why:
            return f"has no code yet: {escape(clip(why, 200).rstrip('.'))}"
        why = next((said for part in self.projects.of(name) if (said := moved(part.root))), None)
        return f"cannot be read: {escape(clip(why, 300))}" if why else "is ready"

    def channels_of(self, name: str) -> str:
        """Return the channels of a project as mrkdwn; empty without any."""
        return ", ".join(f"<#{channel}>" for channel, project in self.projects.channels.items() if project == name)

    def _code(self, part: Project) -> list[str]:
        source = part.repository
        where = f"{source.url}{f', branch {source.branch}' if source.branch else ''}" if source else str(part.root)
        said = f"Code{f' of {part.name}' if '/' in part.name else ''}: {escape(where)}"
        if part.web_url:
            said += f", {escape(part.web_url)}"
        return [said, *([escape(clip(part.description, 300))] if part.description else [])]


def goes_to(thread: Thread) -> str | None:
    """Return the project that a thread's questions go to, or that its last one was answered from."""
    name = thread.route.project if thread.route else thread.project
    return name.partition("/")[0] if name else None
