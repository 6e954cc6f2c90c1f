"""How far each watched channel has been read, kept in `watched.json`: from there catch-up goes on at the next start.

Of a channel in which nothing was heard yet it says since when it is watched, so that not even its first message is
lost. What the journal tells of newer messages counts too (`Watcher.recover`), but not of a channel that was behind.
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
    from bot.ports.outbound import Clock, Kept

log = logging.getLogger(__name__)

_TS = re.compile(r"\d{10}\.\d{6}")
"""A ts as Slack writes it since 2001: as texts these stand in the order of their times."""


@dataclass(frozen=True, kw_only=True)
class Watching:
    """The point that each channel has been read to. `cursors` are the watcher's own, which moves them on."""

    watched: Mapping[str, Watched]
    cursors: ReadCursors
    kept: Kept
    clock: Clock

    async def begin(self) -> None:
        """Go on from what is kept; a channel that is new, or silent no more, is read from now on. Before connecting."""
        said, now = await self.kept.read(), f"{self.clock.now().timestamp():.6f}"
        points = self.cursors.points
        for channel, watched in self.watched.items():
            mode, point, is_behind = _point(said.get(channel))
            if mode == "silent" != watched.mode:
                points[channel] = now
            elif is_behind:
                points[channel] = point
                self.cursors.hold(channel)
            else:
                points[channel] = max(point, points.get(channel, "")) or now
        await self.save()

    async def save(self) -> None:
        """Keep the points as they are; the journal has what is newer."""
        kept: dict[str, dict[str, Any]] = {}
        for channel, watched in self.watched.items():
            kept[channel] = {"mode": watched.mode, "read_to": self.cursors.points[channel]}
            if self.cursors.gap(channel) is not None:
                kept[channel]["behind"] = True
        try:
            await self.kept.write(kept)
        except RetryLater as problem:
            log.warning("how far the channels were read was not kept: %s", problem)


def _point(said: Any) -> tuple[str, str, bool]:
    """The mode in which a channel was watched, the ts that it was read to, and whether it was behind; empty when
    nothing is known."""
    match said:
        case {"mode": str(mode), "read_to": str(point)} if _TS.fullmatch(point):
            return mode, point, said.get("behind") is True
        case _:
            return "", "", False
