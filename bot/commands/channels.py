"""Channel modes and muted threads: `mode`, `mute`, `unmute`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.channel_refs import check_workspace, resolve_channel
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs import ChannelMode, InThread
from bot.commands.registry import command
from bot.models.message import thread_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.intake.read_cursors import SavedCursors
    from bot.models.interaction import Asker
    from bot.models.status import Mode
    from bot.triage.controls import Controls
    from bot.triage.thread_muting import ThreadMuter

_NO_THREAD = "Say `!triage {name}` in the thread, or give the link of a message in it: `{name} &lt;link&gt;`."
_MODES: dict[Mode, str] = {
    "live": "what is approved is posted",
    "preview": "cards are practice, nothing is posted",
    "silent": "messages are classified and recorded, nothing else",
}


@dataclass(frozen=True, kw_only=True)
class ChannelModes:
    """The command `mode`. `names` maps watched channels to their names."""

    controls: Controls
    names: Mapping[str, str]
    cursors: SavedCursors

    async def preview_mode(self, request: ChannelMode, asker: Asker) -> str:
        """Show the channel's new mode and its present one."""
        channel = resolve_channel(request.channel, asker, self.names)
        return f"<#{channel}> would be {request.mode}, not {self.controls.modes[channel]}: {_MODES[request.mode]}."

    @command(
        "mode",
        "sets how a watched channel is treated from its next question on",
        input=ChannelMode,
        role="admin",
        tier="reversible",
        deed="a channel's mode was set",
        needs_press=True,
        preview=preview_mode,
    )
    async def mode(self, request: ChannelMode, asker: Asker) -> CommandAnswer:
        """Set a channel's mode from its next question on; existing cards keep theirs."""
        channel = resolve_channel(request.channel, asker, self.names)
        before = self.controls.modes[channel]
        await self.controls.set_mode(channel, request.mode)
        await self.cursors.save()
        return CommandAnswer(
            line=f"<#{channel}> is {request.mode} now, not {before}: {_MODES[request.mode]}, from its next question on."
            if before != request.mode
            else f"<#{channel}> was {request.mode} already; this now takes precedence over `triage.yml`."
        )


@dataclass(frozen=True, kw_only=True)
class ThreadMutes:
    """Mutes threads; `url` is the workspace's address."""

    muting: ThreadMuter
    team_id: str
    url: str

    @command(
        "mute",
        "ends the work in a thread, and is silent there until unmute or a mention",
        input=InThread,
        role="operator",
        tier="reversible",
        deed="a thread was muted",
    )
    async def mute(self, request: InThread, asker: Asker) -> CommandAnswer:
        """End the work in a thread, and stay silent there."""
        home = self._find_thread(request, asker, "mute")
        ended_text = "The work in this thread has ended. " if (await self.muting.mute(home)).has_ended_work else ""
        return CommandAnswer(line=f"Muted. {ended_text}`!triage unmute`, or a mention of Triage, brings it back.")

    @command(
        "unmute",
        "listens to a muted thread again",
        input=InThread,
        role="operator",
        tier="reversible",
        deed="a thread is listened to again",
    )
    async def unmute(self, request: InThread, asker: Asker) -> CommandAnswer:
        """Listen to a muted thread again."""
        home = self._find_thread(request, asker, "unmute")
        if await self.muting.unmute(home):
            return CommandAnswer(line="Triage listens to this thread again, from the next message on.")
        return CommandAnswer(line="This thread was not muted.", is_unchanged=True)

    def _find_thread(self, request: InThread, asker: Asker, name: str) -> str:
        """Return the thread that the input refers to. Raises `NotDone`."""
        if request.link is None:
            if asker.thread_id is None:
                raise NotDone(_NO_THREAD.format(name=name))
            return asker.thread_id
        check_workspace(request.link, self.url)
        return thread_id(self.team_id, request.link.channel_id, request.link.root_ts)
