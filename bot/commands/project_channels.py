"""Projects of conversations and channels: the commands that set and show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.command import CommandAnswer
from bot.commands.project_inputs import MaybeChannel, MaybeProject, ProjectChannel, ProjectOrNone
from bot.commands.projects import NONE
from bot.commands.registry import command

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker


@dataclass(frozen=True, kw_only=True)
class ProjectChannels:
    """Sets and shows the project of a conversation or a channel."""

    overview: ProjectOverview

    @command(
        "set_active_project",
        "sets the project of this conversation; `none` removes it",
        input=ProjectOrNone,
        role="operator",
        tier="reversible",
        deed="the project of a conversation was set",
    )
    async def set_active_project(self, request: ProjectOrNone, asker: Asker) -> CommandAnswer:
        """Set the conversation's project from the next message on."""
        if request.project.lower() == NONE:
            await self.overview.active.set(asker.conversation, None)
            return CommandAnswer(line="This conversation has no project now.")
        name = self.overview.find_project(request.project)
        await self.overview.active.set(asker.conversation, name)
        return CommandAnswer(line=f"This conversation is about `{name}` now; `set_active_project none` takes it back.")

    async def preview_channel(self, request: ProjectChannel, asker: Asker) -> str:
        """Show the project that the channel's questions would go to, and the present one."""
        channel, name = self._link(request, asker)
        before = _go_to(self.overview.projects.channels.get(channel))
        return f"Questions in <#{channel}> would {_go_to(name)}; they {before} now."

    @command(
        "set_project_channel",
        "sends the questions of a watched channel to a project; `none` ends that",
        input=ProjectChannel,
        role="admin",
        tier="reversible",
        deed="the project of a channel was set",
        needs_press=True,
        also=("set_control_interface",),
        preview=preview_channel,
    )
    async def set_project_channel(self, request: ProjectChannel, asker: Asker) -> CommandAnswer:
        """Set a channel's project from its next question on; earlier questions keep theirs."""
        channel, name = self._link(request, asker)
        before = self.overview.projects.channels.get(channel)
        await self.overview.projects.link(channel, name)
        if before == name:
            return CommandAnswer(line=f"Questions in <#{channel}> {_go_to(name)}, as before.")
        back = f"`set_project_channel {before or NONE} {self.overview.channel_names[channel]}` takes it back."
        return CommandAnswer(line=f"Questions in <#{channel}> {_go_to(name)} now, from the next one on. {back}")

    def _link(self, request: ProjectChannel, asker: Asker) -> tuple[str, str | None]:
        """Return the channel and its new project (`None` for none). Raises `NotDone`."""
        channel = self.overview.resolve_channel(request.channel, asker)
        name = None if request.project.lower() == NONE else self.overview.find_project(request.project)
        return channel, name

    @command(
        "get_project_channels",
        "lists the channels whose questions go to a project",
        input=MaybeProject,
        role="operator",
        tier="read",
    )
    async def get_project_channels(self, request: MaybeProject, asker: Asker) -> CommandAnswer:
        """List the channels of a project."""
        name = self.overview.resolve_project(request.project, asker)
        if channels := self.overview.channels_of(name):
            return CommandAnswer(line=f"Questions in these channels go to `{name}`: {channels}.")
        return CommandAnswer(line=f"`{name}` has no channel; `set_project_channel {name} #channel` gives it one.")

    @command(
        "get_project_for_channel",
        "says which project the questions of a channel go to",
        input=MaybeChannel,
        role="operator",
        tier="read",
    )
    async def get_project_for_channel(self, request: MaybeChannel, asker: Asker) -> CommandAnswer:
        """Show the project of a channel."""
        channel = self.overview.resolve_channel(request.channel, asker)
        name = self.overview.projects.channels.get(channel)
        by = (
            "set by a command"
            if channel in self.overview.projects.settings_by_command.channels
            else "set in `triage.yml`"
        )
        return CommandAnswer(line=f"Questions in <#{channel}> {_go_to(name)}{f'; {by}' if name else ''}.")


def _go_to(name: str | None) -> str:
    return f"go to `{name}`" if name else "go to the project that their words or the rules name"
