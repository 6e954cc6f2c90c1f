"""Read cursors: the ts up to which each watched channel was read without a gap.

A channel in which messages may have been missed is behind: new messages do not move its cursor until its history was
read from there.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.intake.watched import Watched
    from bot.ports.outbound import Clock, JsonFile


@dataclass(kw_only=True)
class ReadCursors:
    """Cursors by channel, each a ts; the start of watching for a channel without messages."""

    points: dict[str, str] = field(default_factory=dict)
    _gaps: dict[str, int] = field(default_factory=dict)
    """Number of the last gap of each channel that is behind."""
    _newest: dict[str, str] = field(default_factory=dict)
    """Newest message of each channel that is behind."""
    _numbers: count[int] = field(default_factory=count)

    def advance(self, channel: str, ts: str) -> None:
        """Note a delivered message."""
        points = self._newest if channel in self._gaps else self.points
        points[channel] = max(ts, points.get(channel, ""))

    def hold(self, channel: str) -> bool:
        """Note a gap after the cursor; return whether the channel was not behind before."""
        is_new = channel not in self._gaps
        self._gaps[channel] = next(self._numbers)
        return is_new

    def gap(self, channel: str) -> int | None:
        """Return the number of the channel's last gap, `None` if it is not behind."""
        return self._gaps.get(channel)

    def close(self, channel: str, gap: int | None, newest: str = "") -> None:
        """Note that the history was read up to `newest`, from before this gap: a later gap stays open."""
        if gap is None or self._gaps.get(channel) != gap:
            return
        del self._gaps[channel]
        for ts in (newest, self._newest.pop(channel, "")):
            self.advance(channel, ts)


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
