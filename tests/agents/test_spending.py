"""Money of runs: how much of its cap each model uses before its last turn, at the prices of the library."""

from __future__ import annotations

import pytest

from bot.adapters.prices import PriceTable
from bot.decide.limits import RunLimits, Spent
from bot.decide.turn_plan import Conversation, Money, TurnPlan, measure_bytes_per_token, plan_turn
from bot.models.turn import Usage

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
DEAREST = ("claude-opus-4-1", "claude-fable-5")
WRITTEN = 150


def walk(model: str, size: int) -> tuple[float, Spent]:
    """The share of its narrowest limit that a run has used before its last turn; each call brings so many bytes."""
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
        spent = spent.plus(
            Spent(turns=1, tokens=usage.total, usd=prices.cost(model, usage), tool_bytes=size if last else 0)
        )
        last, new_bytes = usage, size
    assert spent.usd is not None
    used = (spent.usd / limits.usd, spent.turns / limits.turns, spent.tokens / limits.tokens)
    return max(*used, spent.tool_bytes / limits.tool_bytes), spent


@pytest.mark.parametrize("size", [5_000, 10_000, 15_000, 17_500])
@pytest.mark.parametrize("model", MODELS)
def test_a_run_uses_most_of_its_cap_before_its_last_turn(model: str, size: int) -> None:
    """At least 70 %, or 65 % where a token of output is the dearest; what is left pays for the answer."""
    share, spent = walk(model, size)
    assert share >= (0.65 if model in DEAREST else 0.7), spent
