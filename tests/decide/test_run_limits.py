"""Limits of an agent run, by table: each holds at its own figure, and not one step before."""

from __future__ import annotations

import pytest

from bot.decide.limits import FRAMING, NOTHING_SPENT, RunLimits, Spent, estimate_next_usage, is_last, reached
from bot.models.turn import Usage

LIMITS = RunLimits(turns=4, seconds=100, tokens=1_000, usd=1.0, tool_bytes=500, result_bytes=100)
AHEAD = Usage(output_tokens=100)


@pytest.mark.parametrize(
    ("spent", "usd", "reason"),
    [
        (NOTHING_SPENT, 0.1, None),
        (Spent(turns=3), 0.1, None),
        (Spent(turns=4), 0.1, "it took 4 turns without an answer"),
        (Spent(seconds=99.9), 0.1, None),
        (Spent(seconds=100), 0.1, "it took longer than 100 s"),
        (Spent(tokens=900), 0.1, None),
        (Spent(tokens=901), 0.1, "its next turn could take it past 1,000 tokens"),
        (Spent(usd=0.5), 0.5, None),
        (Spent(usd=0.75), 0.5, "a run may cost $1.00; $0.75 are spent, and a turn may take $0.50"),
        (Spent(usd=None), 9.0, None),
        (Spent(usd=9.0), None, None),
    ],
)
def test_a_turn_starts_only_if_its_most_still_fits(spent: Spent, usd: float | None, reason: str | None) -> None:
    """The reason names the limit; without a price the tokens alone count."""
    limit = reached(LIMITS, spent, AHEAD, usd)
    assert (limit and limit.reason) == reason
    if limit:
        assert limit.outcome == ("over_cap" if "$" in limit.reason else "limit")


@pytest.mark.parametrize(
    ("spent", "usd", "last"),
    [
        (Spent(turns=2, seconds=74.9, tokens=800, usd=0.5, tool_bytes=400), 0.25, False),
        (Spent(turns=3), 0.1, True),
        (Spent(seconds=75), 0.1, True),
        (Spent(tokens=801), 0.1, True),
        (Spent(usd=0.51), 0.25, True),
        (Spent(usd=None), 9.0, False),
        (Spent(usd=9.0), None, False),
        (Spent(tool_bytes=401), 0.1, True),
    ],
)
def test_the_last_turn_is_the_one_after_which_none_might_fit(spent: Spent, usd: float | None, last: bool) -> None:
    """Twice the most of a turn, three quarters of the time, and room for one more result."""
    assert is_last(LIMITS, spent, AHEAD, usd) is last


def test_a_turn_reads_what_was_said_and_what_is_new() -> None:
    """All of it may be written to the cache; the server adds its own."""
    first = estimate_next_usage(None, 50, 100)
    assert (first.cache_write_tokens, first.output_tokens) == (50 + FRAMING, 100)
    last = Usage(input_tokens=1, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4)
    assert estimate_next_usage(last, 50, 100).cache_write_tokens == last.total + 50 + FRAMING


def test_what_is_spent_adds_up() -> None:
    """A sum with an unknown price is unknown."""
    one = Spent(turns=1, seconds=2, tokens=3, usd=0.5, tool_bytes=4)
    assert one.plus(one) == Spent(turns=2, seconds=4, tokens=6, usd=1.0, tool_bytes=8)
    unknown = Spent(usd=None)
    assert one.plus(unknown).usd is unknown.plus(one).usd is None
