"""Read cursors: up to where each watched channel was read without a gap.

A channel in which something may have been missed is behind: what is heard there meanwhile does not move its cursor on,
until its history was read from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count


@dataclass(kw_only=True)
class ReadCursors:
    """Points by channel, each a ts; of a channel in which nothing was heard yet, since when it is watched."""

    points: dict[str, str] = field(default_factory=dict)
    _gaps: dict[str, int] = field(default_factory=dict)
    """The number of the last gap of each channel that is behind."""
    _heard: dict[str, str] = field(default_factory=dict)
    """The newest message of each such channel."""
    _numbers: count[int] = field(default_factory=count)

    def heard(self, channel: str, ts: str) -> None:
        """Note a message that came in."""
        points = self._heard if channel in self._gaps else self.points
        points[channel] = max(ts, points.get(channel, ""))

    def hold(self, channel: str) -> bool:
        """Note a gap after what was read; says whether the channel was not behind before."""
        is_new = channel not in self._gaps
        self._gaps[channel] = next(self._numbers)
        return is_new

    def gap(self, channel: str) -> int | None:
        """The number of the channel's last gap; `None` where nothing is missed."""
        return self._gaps.get(channel)

    def close(self, channel: str, gap: int | None, newest: str = "") -> None:
        """Note that the history was read up to `newest`, from before this gap: a later gap stays open."""
        if gap is None or self._gaps.get(channel) != gap:
            return
        del self._gaps[channel]
        for ts in (newest, self._heard.pop(channel, "")):
            self.heard(channel, ts)
