"""Costs and token counts of agents' runs, as command data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from bot.models.fact import Fact

if TYPE_CHECKING:
    from bot.models.cost import Cost
    from bot.models.turn import Usage


class CostData(Fact):
    """Cost of some runs."""

    usd: float
    """Maximum cost of the runs whose cost has a known maximum, in US dollars."""
    unreported_usd: float
    """Part of it that no server has reported."""
    runs_without_price: int
    """Number of runs whose cost has no known maximum; they add nothing."""

    @classmethod
    def of(cls, cost: Cost) -> Self:
        """Return the data of a sum of costs."""
        return cls(usd=cost.usd, unreported_usd=cost.unsure_usd, runs_without_price=cost.unknown_runs)


class TokensData(Fact):
    """Tokens of some runs."""

    input: int
    cache_read: int
    cache_write: int
    output: int
    total: int

    @classmethod
    def of(cls, usage: Usage) -> Self:
        """Return the data of a sum of usages."""
        return cls(
            input=usage.input_tokens,
            cache_read=usage.cache_read_tokens,
            cache_write=usage.cache_write_tokens,
            output=usage.output_tokens,
            total=usage.total,
        )
