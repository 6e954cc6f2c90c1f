"""Limits of an agent run: turns, time, tokens, money, bytes of results. Checked before each turn.

A turn starts only if its maximum use still fits, so that no limit is exceeded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.models.turn import Usage

FRAMING = 2_000
"""Tokens that a server may add to a request: tool schemas, roles, its own instructions."""


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
    corrections: int = 2
    """Number of times that an invalid answer is sent back."""


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


def estimate_next_usage(last: Usage | None, new_bytes: int, max_output: int) -> Usage:
    """Return the maximum use of the next turn.

    It reads what the last turn read and wrote, and the new entries: a token has at least one byte. All of it may be
    written to the cache, the most expensive way of reading.
    """
    read = (last.total if last else 0) + new_bytes + FRAMING
    return Usage(cache_write_tokens=read, output_tokens=max_output)


def reached(limits: RunLimits, spent: Spent, ahead: Usage, ahead_usd: float | None) -> Reached | None:
    """Return the limit that is too low for a next turn of at most `ahead`; `None` if all limits allow it."""
    if spent.turns >= limits.turns:
        return Reached("limit", f"it took {limits.turns} turns without an answer")
    if spent.seconds >= limits.seconds:
        return Reached("limit", f"it took longer than {limits.seconds:g} s")
    if spent.tokens + ahead.total > limits.tokens:
        return Reached("limit", f"its next turn could take it past {limits.tokens:,} tokens")
    if spent.usd is not None and ahead_usd is not None and spent.usd + ahead_usd > limits.usd:
        return Reached(
            "over_cap",
            f"a run may cost ${limits.usd:.2f}; ${spent.usd:.2f} are spent, and a turn may take ${ahead_usd:.2f}",
        )
    return None


def is_last(limits: RunLimits, spent: Spent, ahead: Usage, ahead_usd: float | None) -> bool:
    """Return whether the next turn should be the last, since a further one might not fit."""
    return (
        spent.turns + 1 >= limits.turns
        or spent.seconds >= 0.75 * limits.seconds
        or spent.tokens + 2 * ahead.total > limits.tokens
        or (spent.usd is not None and ahead_usd is not None and spent.usd + 2 * ahead_usd > limits.usd)
        or spent.tool_bytes + limits.result_bytes > limits.tool_bytes
    )
