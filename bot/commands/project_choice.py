"""Choice of the active project: `set_active_project`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.command import CommandAnswer
from bot.commands.project_inputs import ProjectOrNone
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
class ProjectChoice:
    """Sets the project of a thread or of a person."""

    overview: ProjectOverview

    @command(
        "set_active_project",
        "sets or shows the project of your later commands, or of this thread; `none` removes it",
        input=ProjectOrNone,
        role="operator",
        tier="reversible",
        deed="the project of a conversation was set",
    )
    async def set_active_project(self, request: ProjectOrNone, asker: Asker) -> CommandAnswer:
        """Set the project of a thread, or of a person, from the next message on; without a project, show it."""
        if not request.project:
            return self._show(asker)
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

    def _show(self, asker: Asker) -> CommandAnswer:
        """Return the project that counts here now, and its source."""
        active = self.overview.active.find(asker)
        if active:
            line = f"Commands here that name no project are about `{active.project}`, {_REASONS[active.by]}."
        else:
            line = "No project is chosen here. `list_projects` has those that you can name."
        return CommandAnswer(line=line, is_unchanged=True)
