"""Durations: a histogram with fixed bounds, which costs less than a microsecond for each."""

from __future__ import annotations

from bisect import bisect_left

ACK_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0)
"""Seconds, up to those that Slack waits for an acknowledgement."""


class Durations:
    """Counted durations in seconds."""

    def __init__(self, bounds: tuple[float, ...] = ACK_BOUNDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """Number up to each bound, and last of all longer ones."""
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds
