"""How far a run of an agent may go: turns, time, tokens, money, bytes of results. `agents/loop` asks before each turn.

A turn is begun only when the most that it can use still fits, so that no limit is passed and noticed afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.models.turn import Usage

FRAMING = 2_000
"""Tokens that a server may add around what it is sent: the forms of tools, roles, its own instructions."""


@dataclass(frozen=True, kw_only=True)
class RunLimits:
    """The limits of one run."""

    turns: int = 24
    seconds: float = 240.0
    idle_seconds: float = 240.0
    """How long the model may take for one turn."""
    tokens: int = 1_000_000
    """Read and written over all turns; what was read from a cache counts too."""
    usd: float = 1.0
    tool_bytes: int = 400_000
    """All results together, as UTF-8."""
    result_bytes: int = 20_000
    """One result."""
    calls_per_turn: int = 12
    corrections: int = 2
    """How often an answer that does not fit is sent back."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """How far a run has come. `usd` is `None` where the model's price is unknown; then only tokens count."""

    turns: int = 0
    seconds: float = 0.0
    tokens: int = 0
    usd: float | None = 0.0
    tool_bytes: int = 0

    def plus(self, more: Spent) -> Spent:
        """Both together; of a price that is unknown the sum is unknown."""
        return Spent(
            turns=self.turns + more.turns,
            seconds=self.seconds + more.seconds,
            tokens=self.tokens + more.tokens,
            usd=None if self.usd is None or more.usd is None else self.usd + more.usd,
            tool_bytes=self.tool_bytes + more.tool_bytes,
        )


NOTHING_SPENT = Spent()


@dataclass(frozen=True)
class Reached:
    """The limit that ends the run."""

    outcome: Literal["limit", "over_cap"]
    reason: str


def most(last: Usage | None, new_bytes: int, max_output: int) -> Usage:
    """The most that the next turn can use.

    It reads what the last one read and wrote, and what was said since: a token is never less than a byte. All of it may
    be written to the cache, which is the dearest way to read.
    """
    read = (last.total if last else 0) + new_bytes + FRAMING
    return Usage(cache_write_tokens=read, output_tokens=max_output)


def reached(limits: RunLimits, spent: Spent, ahead: Usage, ahead_usd: float | None) -> Reached | None:
    """The limit that leaves no room for a next turn that uses `ahead` at most, if one does."""
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
    """Return whether the next turn should be the last, since another one after it might not fit."""
    return (
        spent.turns + 1 >= limits.turns
        or spent.seconds >= 0.75 * limits.seconds
        or spent.tokens + 2 * ahead.total > limits.tokens
        or (spent.usd is not None and ahead_usd is not None and spent.usd + 2 * ahead_usd > limits.usd)
        or spent.tool_bytes + limits.result_bytes > limits.tool_bytes
    )
