"""Shares with a confidence interval, for figures from few cases."""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Share:
    """Share `count` of `total`, with its 95 % confidence interval `low` to `high` (Wilson)."""

    count: int
    total: int
    low: float
    high: float

    @classmethod
    def from_counts(cls, count: int, total: int) -> Share:
        """Build the share; without any cases the interval is 0 to 1."""
        if not total:
            return cls(0, 0, 0.0, 1.0)
        part, square = count / total, _Z * _Z
        middle = (part + square / (2 * total)) / (1 + square / total)
        reach = _Z * math.sqrt(part * (1 - part) / total + square / (4 * total * total)) / (1 + square / total)
        return cls(count, total, max(0.0, middle - reach), min(1.0, middle + reach))

    def __str__(self) -> str:
        return f"{self.count} of {self.total} ({self.low:.0%} to {self.high:.0%})" if self.total else "none"
