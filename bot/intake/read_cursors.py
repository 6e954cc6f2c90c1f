"""Read cursors: the ts up to which each watched channel was read without a gap.

A channel in which messages may have been missed is behind: new messages do not move its cursor until its history was
read from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count


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
