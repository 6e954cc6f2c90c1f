"""Quantiles and their intervals, compared with the published tables and by trial."""

from __future__ import annotations

import random

import pytest

from bot.decide.quantile_interval import Quantile


@pytest.mark.parametrize(
    ("total", "ranks"),
    [(5, (None, None)), (6, (1, 6)), (10, (2, 9)), (20, (6, 15)), (100, (40, 61))],
)
def test_the_ranks_of_a_median_are_those_of_the_tables(total: int, ranks: tuple[int | None, int | None]) -> None:
    """By the sign test; fewer than six values have no interval."""
    quantile = Quantile.from_values(range(1, total + 1))
    assert (quantile.low, quantile.high) == ranks


def test_nothing_has_no_quantile() -> None:
    """One value is its own median, without an interval."""
    assert Quantile.from_values([]) == Quantile(None, 0, None, None)
    assert Quantile.from_values([7]) == Quantile(7, 1, None, None)
    assert Quantile.from_values([1, 2]).value == 1.5


def test_the_ninetieth_percentile_is_a_value() -> None:
    """Nine tenths of the values are at most as large."""
    quantile = Quantile.from_values(range(1, 101), 0.9)
    assert (quantile.value, quantile.low, quantile.high) == (90, 84, 96)


def test_the_interval_holds_the_true_median_in_most_trials() -> None:
    """In at least 95 of 100, whatever the distribution."""
    lot = random.Random(5)
    hits = 0
    for _ in range(400):
        quantile = Quantile.from_values(lot.expovariate(1.0) for _ in range(25))
        assert quantile.low is not None
        assert quantile.high is not None
        hits += quantile.low <= 0.6931 <= quantile.high
    assert hits >= 374
