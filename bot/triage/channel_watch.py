"""Channel watch: channels that commands created are watched from their creation on, live, without a restart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.intake.catch_up import CatchUps
    from bot.intake.read_cursors import SavedCursors
    from bot.triage.controls import Controls
    from bot.triage.losses import Losses


@dataclass(frozen=True, kw_only=True)
class ChannelWatch:
    """Adds channels to the watched ones and takes them out. `names` are the names of all watched channels, by id."""

    names: dict[str, str]
    controls: Controls
    cursors: SavedCursors
    catch_ups: CatchUps
    losses: Losses

    async def start(self, channel: str, name: str, *, since: datetime) -> None:
        """Watch a channel, and read what was written since a time."""
        if channel in self.names:
            return
        self.cursors.cursors.points.setdefault(channel, f"{since.timestamp():.6f}")
        self.controls.modes.setdefault(channel, "live")
        self.losses.channels[channel] = ""
        self.names[channel] = name  # last: from here on its messages are taken
        await self.cursors.save()
        self.catch_ups.schedule_missed([channel])

    async def stop(self, channel: str) -> None:
        """Watch a channel no longer."""
        self.names.pop(channel, None)
        self.controls.modes.pop(channel, None)
        self.losses.channels.pop(channel, None)
        self.cursors.cursors.points.pop(channel, None)
        await self.cursors.save()
