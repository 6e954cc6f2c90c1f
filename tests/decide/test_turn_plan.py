"""Plan of a turn, by table: each limit holds at its own figure, and not one step before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.limits import NOTHING_SPENT, Reached, RunLimits, Spent
from bot.decide.turn_plan import (
    CACHE_SECONDS,
    FRAMING,
    Conversation,
    Money,
    TurnPlan,
    measure_bytes_per_token,
    plan_turn,
)
from bot.models.turn import Usage

LIMITS = RunLimits(turns=4, seconds=100, tokens=100_000, usd=1.0, tool_bytes=500, result_bytes=100)
LAST = Usage(cache_read_tokens=4_000, cache_write_tokens=1_000, input_tokens=10, output_tokens=90)
TALK = Conversation(last=LAST, max_output=8_000)


def price(usage: Usage) -> float:
    """Ten dollars for a million tokens read, a tenth of it from the cache, fifty for a million written."""
    return (
        usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens / 10 + 5 * usage.output_tokens
    ) / 1e5


MONEY = Money(price=price, of_run=1.0, of_day=20.0)


def plan(spent: Spent, **changes: Any) -> TurnPlan | Reached:
    """The plan of a turn of this talk."""
    return plan_turn(LIMITS, spent, changes.pop("talk", TALK), changes.pop("money", MONEY), **changes)


@pytest.mark.parametrize(
    ("talk", "usage"),
    [
        (Conversation(new_bytes=300, max_output=1), Usage(cache_write_tokens=100 + FRAMING)),
        (replace(TALK, new_bytes=300), Usage(cache_read_tokens=5_000, cache_write_tokens=200)),
        (replace(TALK, new_bytes=300, bytes_per_token=1.5), Usage(cache_read_tokens=5_000, cache_write_tokens=300)),
        (replace(TALK, seconds=CACHE_SECONDS), Usage(cache_write_tokens=5_100)),
        (Conversation(last=Usage(input_tokens=5_000, output_tokens=1), max_output=1), Usage(input_tokens=5_001)),
        (Conversation(last=Usage(input_tokens=500, output_tokens=1), max_output=1), Usage(cache_write_tokens=501)),
    ],
)
def test_reading_is_estimated_as_it_will_be_billed(talk: Conversation, usage: Usage) -> None:
    """History from the cache while that lasts, new text into it; a server without a cache reads all of it."""
    assert talk.estimate_reading() == usage


@pytest.mark.parametrize(
    ("spent", "reason"),
    [
        (Spent(turns=3), None),
        (Spent(turns=4), "it took 4 turns without an answer"),
        (Spent(seconds=99.9), None),
        (Spent(seconds=100), "it took longer than 100 s"),
        (Spent(tokens=93_900), None),
        (Spent(tokens=93_901), "its next turn could take it past 100,000 tokens"),
        (Spent(usd=0.944), None),
        (Spent(usd=0.945), "a run may cost $1.00; $0.94 are spent, and a turn may take $0.06"),
        (Spent(usd=None), None),
    ],
)
def test_a_turn_begins_only_if_it_fits(spent: Spent, reason: str | None) -> None:
    """With the least output that an answer may need; the reason names the limit."""
    planned = plan(spent)
    assert (planned.reason if isinstance(planned, Reached) else None) == reason


@pytest.mark.parametrize(
    ("spent", "last"),
    [
        (Spent(turns=2, seconds=74.9, tokens=80_000, usd=0.7, tool_bytes=400), ""),
        (Spent(turns=3), "4 turns"),
        (Spent(seconds=75), "100 s"),
        (Spent(tokens=88_000), "100,000 tokens"),
        (Spent(usd=0.9), "$1.00 a run"),
        (Spent(usd=None), ""),
        (Spent(tool_bytes=401), "500 bytes of results"),
    ],
)
def test_the_last_turn_is_the_one_after_which_no_answer_fits(spent: Spent, last: str) -> None:
    """Named by its limit."""
    planned = plan(spent)
    assert isinstance(planned, TurnPlan)
    assert planned.last == last


def test_a_turn_writes_no_more_than_the_money_holds() -> None:
    """Of the run and of the day."""
    for spent, of_day, output in ((0.0, 20.0, 8_000), (0.9, 20.0, 1_879), (0.0, 0.1, 1_879)):
        planned = plan(Spent(usd=spent), money=replace(MONEY, of_day=of_day))
        assert isinstance(planned, TurnPlan)
        assert planned.max_usage.output_tokens == pytest.approx(output, abs=1)
        assert price(planned.max_usage) <= 1.0 - spent
    day = plan(Spent(usd=0.0), money=replace(MONEY, of_day=0.1))
    assert isinstance(day, TurnPlan)
    assert day.last == "the money of the day"


def test_no_run_begins_whose_second_turn_does_not_fit_into_the_day() -> None:
    """One that has begun goes on."""
    money = replace(MONEY, of_day=0.1)
    refused = plan(NOTHING_SPENT, money=money, begins=True)
    assert isinstance(refused, Reached)
    assert refused.of_day == pytest.approx(0.10774)
    assert isinstance(plan(NOTHING_SPENT, money=replace(MONEY, of_day=0.01)), Reached)
    assert isinstance(plan(NOTHING_SPENT, money=money), TurnPlan)


def test_an_answer_may_have_turns_beyond_the_limit() -> None:
    """So many, and no more."""
    assert isinstance(plan(Spent(turns=4), more_turns=1), TurnPlan)
    assert isinstance(plan(Spent(turns=5), more_turns=1), Reached)


def test_without_a_price_nothing_is_kept() -> None:
    """Tokens and turns still count; one turn is named as one."""
    planned = plan(NOTHING_SPENT, money=replace(MONEY, price=lambda _: None))
    assert planned == TurnPlan(max_usage=TALK.estimate_reading().evolve(output_tokens=8_000))
    free = plan(NOTHING_SPENT, money=replace(MONEY, price=lambda _: 0.0))
    assert isinstance(free, TurnPlan)
    assert free.max_usage.output_tokens == 8_000
    single = plan_turn(replace(LIMITS, turns=1), NOTHING_SPENT, TALK, MONEY)
    assert isinstance(single, TurnPlan)
    assert single.last == "1 turn"


def test_where_nothing_is_cached_the_answer_reads_all_again() -> None:
    """It is kept for that price."""
    talk = Conversation(last=Usage(input_tokens=5_000, output_tokens=100), max_output=8_000)
    uncached, cached = plan(NOTHING_SPENT, talk=talk), plan(NOTHING_SPENT)
    assert isinstance(uncached, TurnPlan)
    assert isinstance(cached, TurnPlan)
    assert uncached.keep_usd > cached.keep_usd + 0.08


@pytest.mark.parametrize(
    ("before", "new_bytes", "read", "after"),
    [
        (None, 3_000, 1_000, 3.0),
        (None, 9_000, 1_000, 4.0),
        (3.0, 3_500, 1_000, 3.0),
        (3.0, 2_000, 1_000, 2.0),
        (3.0, 1_000, 9_000, 1.0),
        (None, 999, 500, None),
        (2.5, 3_000, 0, 2.5),
    ],
)
def test_the_servers_count_replaces_the_estimate(
    before: float | None, new_bytes: int, read: int, after: float | None
) -> None:
    """The densest text so far counts; a short one tells nothing."""
    usage = LAST.evolve(cache_read_tokens=LAST.total, cache_write_tokens=read, input_tokens=0)
    assert measure_bytes_per_token(before, new_bytes, LAST, usage) == after
    assert measure_bytes_per_token(None, 3_000, None, Usage(input_tokens=1_000)) == 3.0
