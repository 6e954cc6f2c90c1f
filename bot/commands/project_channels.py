"""Projects of conversations and channels: the commands that set and show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.command import CommandAnswer
from bot.commands.project_inputs import MaybeChannel, MaybeProject, ProjectChannel, ProjectOrNone
from bot.commands.projects import NONE
from bot.commands.registry import command

if TYPE_CHECKING:
    from bot.commands.active_project import ChosenBy
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker

_CHOSEN: dict[ChosenBy, str] = {
    "thread": "This thread is about `{project}` now",
    "here": "Your commands in <#{channel}> are about `{project}` now",
    "person": "Your commands are about `{project}` now, wherever no thread or channel has another project",
}
_NOT_CHOSEN: dict[ChosenBy, str] = {
    "thread": "This thread has no project of its own now.",
    "here": "You have no project of your own in <#{channel}> now.",
    "person": "You have no project of your own now.",
}
_REASONS: dict[ChosenBy, str] = {
    "thread": "the project of this thread",
    "notes": "whose notes this thread takes",
    "here": "which you chose for this channel",
    "channel": "the project of this channel",
    "person": "which you chose in a direct message",
    "viewed": "the project of the channel that you are viewing",
}


@dataclass(frozen=True, kw_only=True)
class ProjectChannels:
    """Sets and shows the project of a conversation or a channel."""

    overview: ProjectOverview

    @command(
        "set_active_project",
        "sets the project of your later commands, or of this thread; `none` removes it",
        input=ProjectOrNone,
        role="operator",
        tier="reversible",
        deed="the project of a conversation was set",
    )
    async def set_active_project(self, request: ProjectOrNone, asker: Asker) -> CommandAnswer:
        """Set the project of a thread, or of a person, from the next message on."""
        is_removed = request.project.lower() == NONE
        name = None if is_removed else self.overview.find_project(request.project)
        active = self.overview.active
        by = await active.choose(asker, name)
        if name is None:
            rest = active.find(asker)
            counts = f" Commands here that name none are about `{rest.project}`, {_REASONS[rest.by]}." if rest else ""
            return CommandAnswer(line=f"{_NOT_CHOSEN[by].format(channel=asker.channel_id)}{counts}")
        also = ", and takes its notes" if active.find_notes_project(asker.thread_id or "") else ""
        chosen = _CHOSEN[by].format(project=name, channel=asker.channel_id)
        return CommandAnswer(line=f"{chosen}{also}; `set_active_project none` takes it back.")

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
