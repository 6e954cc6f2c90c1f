"""Limits of an agent run: turns, time, tokens, money, bytes of results. `turn_plan` checks them before each turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LEAST_RESULT = 5_000
"""Bytes of a result without which no call is run: fewer would show too little of a file."""


@dataclass(frozen=True, kw_only=True)
class RunLimits:
    """Limits of one run."""

    turns: int = 24
    seconds: float = 240.0
    idle_seconds: float = 240.0
    """Maximum time without any new content of the model's answer, and for the calls of a turn."""
    tokens: int = 1_000_000
    """Maximum of tokens read and written in all turns, including cached ones."""
    usd: float = 1.0
    tool_bytes: int = 400_000
    """Maximum of bytes of all results together, as UTF-8."""
    result_bytes: int = 20_000
    """Maximum of bytes of one result."""
    calls_per_turn: int = 16
    retries: int | None = None
    """Maximum number of tries in a row after a temporary failure; `None`: as many as the time of the run allows."""
    corrections: int = 2
    """Number of times that an invalid answer is sent back."""

    @property
    def least_result(self) -> int:
        """Return the bytes of a result without which no call is run."""
        return min(LEAST_RESULT, self.result_bytes)


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Use of the limits so far. `usd` is `None` for a model of unknown price; then only tokens count."""

    turns: int = 0
    seconds: float = 0.0
    tokens: int = 0
    usd: float | None = 0.0
    tool_bytes: int = 0

    def plus(self, other: Spent) -> Spent:
        """Return the sum of both; a sum with an unknown price is unknown."""
        return Spent(
            turns=self.turns + other.turns,
            seconds=self.seconds + other.seconds,
            tokens=self.tokens + other.tokens,
            usd=None if self.usd is None or other.usd is None else self.usd + other.usd,
            tool_bytes=self.tool_bytes + other.tool_bytes,
        )


NOTHING_SPENT = Spent()


@dataclass(frozen=True)
class Reached:
    """Limit that ends the run."""

    outcome: Literal["limit", "over_cap"]
    reason: str
    of_day: float = 0.0
    """US dollars that the day should have left, if its cap is the limit."""
