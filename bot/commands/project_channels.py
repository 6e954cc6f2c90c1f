"""Projects of channels: the commands that set and show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.channel_refs import UnwatchedChannel, describe_unwatched
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.project_inputs import MaybeChannel, MaybeProject, ProjectChannel
from bot.commands.projects import NONE
from bot.commands.registry import command
from bot.models.command_data.projects import ProjectChannelData, ProjectChannelsData

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.ports.access import CurrentLosses
    from bot.ports.slack import Channels


@dataclass(frozen=True, kw_only=True)
class ProjectChannels:
    """Sets and shows the projects of channels. `slack` describes channels that are not watched."""

    overview: ProjectOverview
    slack: Channels
    losses: CurrentLosses

    async def preview_channel(self, request: ProjectChannel, asker: Asker) -> str:
        """Show the project that the channel's questions would go to, and the present one."""
        channel, name = await self._link(request, asker)
        before = _go_to(self.overview.projects.channels.get(channel))
        return " ".join((f"Questions in <#{channel}> would {_go_to(name)}; they {before} now.", *self._warn(channel)))

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
        channel, name = await self._link(request, asker)
        before = self.overview.projects.channels.get(channel)
        await self.overview.projects.link(channel, name)
        if before == name:
            line = f"Questions in <#{channel}> {_go_to(name)}, as before."
            return CommandAnswer(line=line, rows=self._warn(channel), is_unchanged=True)
        back = f"`set_project_channel {before or NONE} {self.overview.channel_names[channel]}` takes it back."
        line = f"Questions in <#{channel}> {_go_to(name)} now, from the next one on. {back}"
        return CommandAnswer(line=line, rows=self._warn(channel))

    @command(
        "get_project_channels",
        "lists the channels whose questions go to a project",
        input=MaybeProject,
        role="operator",
        tier="read",
        result=ProjectChannelsData,
    )
    async def get_project_channels(self, request: MaybeProject, asker: Asker) -> CommandAnswer:
        """List the channels of a project."""
        name = self.overview.resolve_project(request.project, asker)
        linked = [channel for channel, project in self.overview.projects.channels.items() if project == name]
        channels = tuple(map(self._build, linked))
        data = ProjectChannelsData(project=name, channels=channels)
        if not channels:
            line = f"`{name}` has no channel; `set_project_channel {name} #channel` gives it one."
            return CommandAnswer(line=line, data=data)
        line = f"Questions in these channels go to `{name}`: {self.overview.channels_of(name)}."
        return CommandAnswer(line=line, rows=tuple(row for each in linked for row in self._warn(each)), data=data)

    @command(
        "get_project_for_channel",
        "says which project the questions of a channel go to",
        input=MaybeChannel,
        role="operator",
        tier="read",
        result=ProjectChannelData,
    )
    async def get_project_for_channel(self, request: MaybeChannel, asker: Asker) -> CommandAnswer:
        """Show the project of a channel; one that is not watched has none."""
        try:
            channel = self.overview.resolve_channel(request.channel, asker)
        except UnwatchedChannel as problem:
            line = await describe_unwatched(problem, self.slack)
            return CommandAnswer(line=line, data=self._build(problem.channel)) if problem.channel else problem.answer
        data = self._build(channel)
        by = {"command": "; set by a command", "settings": "; set in `triage.yml`", None: ""}[data.set_by]
        line = f"Questions in <#{channel}> {_go_to(data.project)}{by}."
        return CommandAnswer(line=line, rows=self._warn(channel), data=data)

    async def _link(self, request: ProjectChannel, asker: Asker) -> tuple[str, str | None]:
        """Return the channel and its new project (`None` for none). Raises `NotDone`."""
        name = None if request.project.lower() == NONE else self.overview.find_project(request.project)
        try:
            return self.overview.resolve_channel(request.channel, asker), name
        except UnwatchedChannel as problem:
            raise NotDone(await describe_unwatched(problem, self.slack)) from problem

    def _warn(self, channel: str) -> tuple[str, ...]:
        """Return a row on why no question of a watched channel is answered now; none if they are."""
        if line := self.losses.card_line(channel):
            return (line,)
        is_silent = self.overview.controls.modes.get(channel) == "silent"
        name = self.overview.channel_names.get(channel, channel)
        silent = (
            f"<#{channel}> is silent: its questions are recorded, and not answered. `mode {name} live` changes that."
        )
        return (silent,) if is_silent else ()

    def _build(self, channel: str) -> ProjectChannelData:
        projects = self.overview.projects
        project, by_command = projects.channels.get(channel), projects.settings_by_command.channels
        set_by = "command" if channel in by_command else "settings"
        return ProjectChannelData(
            channel=channel,
            project=project,
            set_by=set_by if project else None,
            is_watched=channel in self.overview.channel_names,
            mode=self.overview.controls.modes.get(channel),
            is_created=channel in projects.settings_by_command.created_channels,
            is_lost=bool(self.losses.card_line(channel)),
        )


def _go_to(name: str | None) -> str:
    return f"go to `{name}`" if name else "go to the project that their words or the rules name"
