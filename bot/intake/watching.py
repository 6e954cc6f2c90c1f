"""How far each watched channel has been read, kept in `watched.json`: from there catch-up goes on at the next start.

Built by `bot/periodic`. Of a channel in which nothing was heard yet it says since when it is watched, so that not even
its first message is lost. What the journal tells of newer messages counts too (`Watcher.recover`).
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.intake.watched import Watched
    from bot.ports import Clock, Kept

log = logging.getLogger(__name__)

_TS = re.compile(r"\d{10}\.\d{6}")
"""A ts as Slack writes it since 2001: as texts these stand in the order of their times."""


@dataclass(frozen=True, kw_only=True)
class Watching:
    """The point that each channel has been read to. `read_to` is the watcher's own, which moves it on."""

    watched: Mapping[str, Watched]
    read_to: dict[str, str]
    kept: Kept
    clock: Clock

    async def begin(self) -> None:
        """Go on from what is kept; a channel that is new, or silent no more, is read from now on. Before connecting."""
        said, now = await self.kept.read(), f"{self.clock.now().timestamp():.6f}"
        for channel, watched in self.watched.items():
            mode, point = _point(said.get(channel))
            if mode == "silent" != watched.mode:
                self.read_to[channel] = now
            else:
                self.read_to[channel] = max(point, self.read_to.get(channel, "")) or now
        await self.save()

    async def save(self) -> None:
        """Keep the points as they are; the journal has what is newer."""
        points = {
            channel: {"mode": watched.mode, "read_to": self.read_to[channel]}
            for channel, watched in self.watched.items()
        }
        try:
            await self.kept.write(points)
        except RetryLater as problem:
            log.warning("how far the channels were read was not kept: %s", problem)


def _point(said: Any) -> tuple[str, str]:
    """The mode in which a channel was watched, and the ts that it was read to; empty when nothing is known."""
    match said:
        case {"mode": str(mode), "read_to": str(point)} if _TS.fullmatch(point):
            return mode, point
        case _:
            return "", ""
