"""Upper bound of a rate from few cases: one-sided, 95 %, exact (Clopper-Pearson). Pure."""

from __future__ import annotations

import math
from functools import lru_cache

CERTAINTY = 0.95
_MISS = 1 - CERTAINTY
_HALVINGS = 60
"""Halvings of the interval 0 to 1; its width is then below 10⁻¹⁸."""


@lru_cache(maxsize=65_536)
def upper_bound(count: int, total: int) -> float:
    """Return the highest rate at which `count` or fewer of `total` cases still occur once in twenty times.

    Rounded up where it is not exact, so that a comparison with a limit never errs towards the limit; 1 without cases.
    """
    if count >= total:
        return 1.0
    if count == 0:
        return float(1 - _MISS ** (1 / total))
    low, high = count / total, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(count, total, middle) > _MISS else (low, middle)
    return high


@lru_cache(maxsize=4_096)
def fewest_cases(count: int, limit: float) -> int:
    """Return the smallest number of cases of which `count` have an upper bound of at most `limit`."""
    low, high = count, max(1, 2 * count)
    while upper_bound(count, high) > limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if upper_bound(count, middle) > limit else (low, middle)
    return high


def _at_most(count: int, total: int, rate: float) -> float:
    """Return the probability of `count` or fewer of `total` cases at a rate between 0 and 1."""
    yes, no, whole = math.log(rate), math.log1p(-rate), math.lgamma(total + 1)
    return math.fsum(
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(total - k + 1) + k * yes + (total - k) * no)
        for k in range(count + 1)
    )
