"""Quantiles with a confidence interval by order statistics, which assumes no distribution. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_TAIL = 0.025
"""Probability left out on each side of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Quantile:
    """Quantile of `total` values, with its 95 % confidence interval; `None` where there are too few values for one."""

    value: float | None
    total: int
    low: float | None
    high: float | None

    @classmethod
    def from_values(cls, values: Iterable[float], share: float = 0.5) -> Quantile:
        """Build the quantile below which `share` of the values lie; at 0.5 the median.

        The interval runs from one value to another: the number of values below the true quantile is binomial.
        """
        ordered = sorted(values)
        total = len(ordered)
        if not total:
            return cls(None, 0, None, None)
        value = median(ordered) if share == 0.5 else ordered[max(0, math.ceil(share * total) - 1)]
        below, low, high = 0.0, None, None
        for count in range(total + 1):
            below += _probability(count, total, share)
            if below <= _TAIL and count < total:
                low = ordered[count]
            if high is None and below >= 1 - _TAIL and count < total:
                high = ordered[count]
        return cls(value, total, low, high)


def _probability(count: int, total: int, share: float) -> float:
    """Return the probability that `count` of `total` values lie below the true quantile."""
    ways = math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
    return math.exp(ways + count * math.log(share) + (total - count) * math.log1p(-share))
