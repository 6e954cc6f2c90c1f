"""Money of runs: how much of its cap each model uses before its last turn, at the prices of the library."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.prices import PriceTable
from bot.decide.limits import RunLimits, Spent
from bot.decide.turn_plan import Conversation, Money, TurnPlan, find_result_room, measure_bytes_per_token, plan_turn
from bot.models.turn import Usage
from tests.agents.test_loop import GOOD, Path, ran, read, results, tool
from tests.model_server import Answer, Body

MODELS = (
    "claude-haiku-4-5",
    "claude-haiku-5-5",
    "claude-sonnet-4-5",
    "claude-sonnet-5-5",
    "claude-opus-4-1",
    "claude-opus-4-8",
    "claude-opus-5-5",
    "claude-fable-5",
    "claude-fable-5-2",
)
WRITTEN = 150
SIZES = (
    *(5_000, 10_000, 17_500),
    *(pytest.param(size, marks=pytest.mark.long) for size in range(6_250, 16_251, 1_250) if size != 10_000),
)
"""Bytes of a result: few, as many as usual, and many; those between them are long."""


def walk(model: str, size: int) -> tuple[float, Spent]:
    """The share of its narrowest limit that a run has used before its last turn, and its use with the answer.

    Each call brings so many bytes, as far as the run has room for them.
    """
    prices, limits, last, density = PriceTable(), RunLimits(), None, None
    spent, new_bytes = Spent(), 15_000
    while True:
        talk = Conversation(
            last=last, new_bytes=new_bytes, bytes_per_token=density, longest_output=WRITTEN, max_output=32_000
        )
        money = Money(price=lambda usage: prices.cost(model, usage), of_run=limits.usd, of_day=20.0)
        plan = plan_turn(limits, spent, talk, money)
        assert isinstance(plan, TurnPlan)
        if plan.last:
            break
        usage = Usage(
            cache_read_tokens=last.read if last else 0,
            cache_write_tokens=new_bytes // 3 + (last.output_tokens if last else 0),
            output_tokens=WRITTEN,
        )
        density = measure_bytes_per_token(density, new_bytes, last, usage)
        spent = spent.plus(Spent(turns=1, tokens=usage.total, usd=prices.cost(model, usage)))
        talk = Conversation(last=usage, bytes_per_token=density, longest_output=WRITTEN, max_output=32_000)
        last, new_bytes = usage, min(size, find_result_room(limits, spent, talk, money))
        spent = spent.plus(Spent(tool_bytes=new_bytes))
    assert spent.usd is not None
    used = (spent.usd / limits.usd, spent.turns / limits.turns, spent.tokens / limits.tokens)
    most = spent.plus(Spent(usd=prices.cost(model, plan.max_usage), tokens=plan.max_usage.total))
    return max(*used, spent.tool_bytes / limits.tool_bytes), most


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("model", MODELS)
def test_a_run_uses_most_of_its_cap_before_its_last_turn(model: str, size: int) -> None:
    """At least 70 %; what is left pays for the answer, and never more than that is spent."""
    share, most = walk(model, size)
    assert share >= 0.7, most
    assert most.usd is not None
    assert most.usd <= RunLimits().usd


@pytest.mark.parametrize("size", [20_000, 240_000])
@pytest.mark.parametrize("model", MODELS)
def test_results_that_are_longer_than_all_before_leave_room_for_an_answer(model: str, size: int) -> None:
    """At each turn of a run of short results, and twelve long ones at a time."""
    prices, limits = PriceTable(), RunLimits()
    for spent_usd in (0.1, 0.4, 0.7, 0.8):
        usage = Usage(cache_read_tokens=20_000, cache_write_tokens=500, output_tokens=WRITTEN)
        talk = Conversation(last=usage, bytes_per_token=3.0, longest_output=WRITTEN, max_output=32_000)
        money = Money(price=lambda usage: prices.cost(model, usage), of_run=limits.usd, of_day=20.0)
        spent = Spent(turns=5, tokens=100_000, usd=spent_usd)
        shown = min(size, find_result_room(limits, spent, talk, money))
        assert shown > limits.least_result or spent_usd >= 0.7
        assert isinstance(plan_turn(limits, spent, replace(talk, new_bytes=shown), money), TurnPlan)


@pytest.mark.parametrize("limits", [{"usd": 0.05}, {"tokens": 50_000}])
async def test_one_long_result_never_ends_a_run(limits: dict[str, Any]) -> None:
    """It is cut to what the run can still read beside its answer, and the model is told the reason."""

    def script(body: Body) -> Answer:
        first = len(body["messages"]) == 1
        turn = read(*(f"long{n}" for n in range(12))) if first else GOOD
        return turn | {"usage": {"input_tokens": len(json.dumps(body)) // 3, "output_tokens": 50}}

    async def long(_: Path) -> str:
        return "a line of a file\n" * 1_000

    run, asked = await ran(script, tool("read_file", long), **limits)
    assert (run.session.outcome, run.answer is not None) == ("answered", True)
    shown = [text for text, _ in results(asked[1])]
    assert "characters: the run's budget; read a narrower range]" in shown[0]
    assert shown[-1] == "not run: there is no room for more results in this run"
    assert run.session.spent_usd <= limits.get("usd", 1.0)
    assert run.session.tool_calls == sum(not text.startswith("not run") for text in shown)
