"""Saved read cursors: `watched.json` holds each watched channel's cursor, from which catch-up goes on after a start.

The cursor of a channel without messages is the time since which it is watched, so that its first message is not lost.
Newer messages in the journal move a cursor on too (`Watcher.recover`), but not that of a channel that was behind.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.intake.read_cursors import ReadCursors
    from bot.intake.watched import Watched
    from bot.ports.outbound import Clock, JsonFile

log = logging.getLogger(__name__)

_TS = re.compile(r"\d{10}\.\d{6}")
"""Slack ts since 2001; as strings they sort by time."""


@dataclass(frozen=True, kw_only=True)
class SavedCursors:
    """Loader and saver of the read cursors. `cursors` are the watcher's, which moves them on."""

    watched: Mapping[str, Watched]
    cursors: ReadCursors
    file: JsonFile
    clock: Clock

    async def begin(self) -> None:
        """Load the saved cursors, before connecting; a channel that is new or no longer silent is read from now on."""
        saved, now = await self.file.read(), f"{self.clock.now().timestamp():.6f}"
        points = self.cursors.points
        for channel, watched in self.watched.items():
            mode, point, is_behind = _point(saved.get(channel))
            if mode == "silent" != watched.mode:
                points[channel] = now
            elif is_behind:
                points[channel] = point
                self.cursors.hold(channel)
            else:
                points[channel] = max(point, points.get(channel, "")) or now
        await self.save()

    async def save(self) -> None:
        """Save the cursors; failures are logged, since the journal has the newer messages."""
        content: dict[str, dict[str, Any]] = {}
        for channel, watched in self.watched.items():
            content[channel] = {"mode": watched.mode, "read_to": self.cursors.points[channel]}
            if self.cursors.gap(channel) is not None:
                content[channel]["behind"] = True
        try:
            await self.file.write(content)
        except RetryLater as problem:
            log.warning("how far the channels were read was not kept: %s", problem)


def _point(value: Any) -> tuple[str, str, bool]:
    """Parse a saved cursor: the channel's mode, its ts, and whether it was behind; empty strings if there is none."""
    match value:
        case {"mode": str(mode), "read_to": str(point)} if _TS.fullmatch(point):
            return mode, point, value.get("behind") is True
        case _:
            return "", "", False
