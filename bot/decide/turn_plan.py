"""Plan of a run's next turn: its use as it will be billed, the room for its output, and whether it is the last.

The history is read from the cache and new text is written to it. One turn is kept in reserve: the answer, after the
least results that a turn is worth. The results of a turn are bounded by what remains beside the answer, and the room
for an answer is sent to the server, so that no turn reads or writes more than its limits hold.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.limits import Reached, RunLimits, Spent
from bot.models.turn import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

BYTES_PER_TOKEN = 3.0
"""Bytes of new text in a token, until the server has counted enough of a run's text."""
_MOST_BYTES = 4.0
MEASURED_BYTES = 1_000
"""Bytes of new text from which the server's count is used."""
RUN_CAP = "a run may cost"
"""Beginning of the reason of a run that reached its own cap, and not that of the day."""
FRAMING = 2_000
"""Tokens that a server may add to a run's first request: tool schemas, roles, its own instructions."""
CACHE_SECONDS = 300.0
"""Seconds after which a server forgets a history that no call has read."""
SMALLEST_CACHED = 4_096
"""Tokens from which each server that caches does so."""
LEAST_OUTPUT = 1_000
"""Tokens of output without which no turn begins: less would only be the beginning of an answer."""
USUAL_OUTPUT = 200
"""Tokens of a turn with calls, until one was longer."""
NOT_RUN = 100
"""Tokens that tell a model to answer now, in place of results."""
_TURNS_KEPT = 3
"""Turns for which the results of one turn leave room, the answer's not counted: it can be followed up."""
_ANSWER = 4_000
_ANSWER_SHARE = 1 / 12
"""Output reserved for the answer: in tokens without a price, as a share of the run's money with one."""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """Size of a run's conversation before its next turn."""

    last: Usage | None = None
    """Use of the last turn; `None` before the first."""
    new_bytes: int = 0
    """Bytes added since the last turn."""
    bytes_per_token: float | None = None
    """By the server's count of earlier turns; `None`: not counted."""
    longest_output: int = 0
    """Tokens of the longest turn so far."""
    seconds: float = 0.0
    """Seconds since the last turn was requested."""
    max_output: int
    """Most tokens that the model writes in a turn."""

    def estimate_reading(self) -> Usage:
        """Return the tokens that the next turn reads, by price."""
        new = math.ceil(self.new_bytes / (self.bytes_per_token or BYTES_PER_TOKEN))
        if self.last is None:
            return Usage(cache_write_tokens=new + FRAMING)
        cached = self.last.cache_read_tokens + self.last.cache_write_tokens
        if not cached and self.last.read > SMALLEST_CACHED:  # this server does not cache
            return Usage(input_tokens=self.last.total + new)
        cached = cached if self.seconds < CACHE_SECONDS else 0
        return Usage(cache_read_tokens=cached, cache_write_tokens=self.last.total - cached + new)

    @property
    def usual_output(self) -> int:
        """Return the tokens that a turn with calls is expected to write."""
        return min(self.max_output, max(USUAL_OUTPUT, self.longest_output))


@dataclass(frozen=True, kw_only=True)
class Money:
    """Money of a run: US dollars left to it and to the day, and the price of use by kind."""

    price: Callable[[Usage], float | None]
    of_run: float
    """US dollars that the whole run may cost."""
    of_day: float
    """US dollars that are left of the day."""


@dataclass(frozen=True, kw_only=True)
class TurnPlan:
    """Plan of a turn. `last` names the limit that leaves no further one; empty if there is none."""

    max_usage: Usage
    """Maximum use of the turn; its output is the limit that is sent to the server."""
    keep_usd: float = 0.0
    """US dollars that keep the answer's turn possible, this turn included."""
    last: str = ""


def plan_turn(
    limits: RunLimits,
    spent: Spent,
    conversation: Conversation,
    money: Money,
    *,
    begins: bool = False,
    more_turns: int = 0,
) -> TurnPlan | Reached:
    """Plan the next turn, or return the limit that leaves no room for it.

    A run with tools that `begins` needs room for two turns in the day. `more_turns` are turns beyond the limit, for an
    answer.
    """
    if spent.turns >= limits.turns + more_turns:
        return Reached("limit", f"it took {limits.turns} turns without an answer")
    if spent.seconds >= limits.seconds:
        return Reached("limit", f"it took longer than {limits.seconds:g} s")
    reading, least = conversation.estimate_reading(), min(LEAST_OUTPUT, conversation.max_output)
    tokens = limits.tokens - spent.tokens - reading.total
    if tokens < least:
        return Reached("limit", f"its next turn could take it past {limits.tokens:,} tokens")
    usual = reading.evolve(output_tokens=conversation.usual_output)
    output, per_token = min(conversation.max_output, tokens), _price_output(money, reading)
    results = limits.least_result if conversation.last else 0
    answer = _estimate_answer(conversation, money, reading, results)
    last = _find_last(limits, spent) or (
        f"{limits.tokens:,} tokens" if spent.tokens + usual.total + answer.total > limits.tokens else ""
    )
    read_usd, keep = money.price(reading), 0.0
    if spent.usd is None or read_usd is None:
        return TurnPlan(max_usage=reading.evolve(output_tokens=output), last=last)
    left = limits.usd - spent.usd
    least_usd, keep = read_usd + least * per_token, (money.price(usual) or 0.0) + (money.price(answer) or 0.0)
    if least_usd > left:
        return Reached(
            "over_cap",
            f"{RUN_CAP} ${limits.usd:.2f}; ${spent.usd:.2f} are spent, and a turn may take ${least_usd:.2f}",
        )
    needed = max(least_usd, keep) if begins else least_usd
    if needed > money.of_day:
        return Reached("over_cap", f"${money.of_day:.2f} are left of the day", of_day=needed)
    if keep > min(left, money.of_day):
        last = last or (f"${limits.usd:.2f} a run" if left <= money.of_day else "the money of the day")
    if per_token:
        output = min(output, max(least, math.floor((min(left, money.of_day) - read_usd) / per_token)))
    return TurnPlan(max_usage=reading.evolve(output_tokens=output), keep_usd=0.0 if last else keep, last=last)


def _find_last(limits: RunLimits, spent: Spent) -> str:
    """Return the limit of turns, time or results that makes the next turn the last; empty if there is none."""
    if spent.turns + 1 >= limits.turns:
        return "1 turn" if limits.turns == 1 else f"{limits.turns} turns"
    if spent.seconds >= 0.75 * limits.seconds:
        return f"{limits.seconds:g} s"
    if spent.tool_bytes + limits.result_bytes > limits.tool_bytes:
        return f"{limits.tool_bytes:,} bytes of results"
    return ""


def _price_output(money: Money, reading: Usage) -> float:
    """Return the price of a token of output after this reading; longer readings may make it dearer."""
    many = 1_000
    usd, with_output = money.price(reading), money.price(reading.evolve(output_tokens=many))
    return 0.0 if usd is None or with_output is None else max(0.0, with_output - usd) / many


def find_result_room(
    limits: RunLimits, spent: Spent, conversation: Conversation, money: Money, *, framing: int = 0
) -> int:
    """Return the bytes of results that a turn may bring, so that an answer after them fits into tokens and money.

    `framing` are the bytes around them.
    """
    reading = conversation.estimate_reading()
    output = _size_answer(conversation, money, reading)
    room = max(0, limits.tokens - spent.tokens - reading.total - output - NOT_RUN)
    if spent.usd is not None and money.price(reading) is not None:
        left = min(limits.usd - spent.usd, money.of_day)

        def price_answer(results: int) -> float:
            return money.price(_add_text(reading, results + NOT_RUN).evolve(output_tokens=output)) or 0.0

        if price_answer(room) > left:
            room = max(0, bisect_right(range(room), left, key=price_answer) - 1)
    whole = max(0, math.floor(room * (conversation.bytes_per_token or BYTES_PER_TOKEN)) - framing)
    return max(whole // _TURNS_KEPT, min(whole, limits.least_result))


def _estimate_answer(conversation: Conversation, money: Money, reading: Usage, result_bytes: int) -> Usage:
    """Return the use of an answer after one more turn, whose results have so many bytes."""
    results = math.ceil(result_bytes / (conversation.bytes_per_token or BYTES_PER_TOKEN))
    new = conversation.usual_output + NOT_RUN + results
    cached = reading if reading.input_tokens else Usage(cache_read_tokens=reading.read)
    return _add_text(cached, new).evolve(output_tokens=_size_answer(conversation, money, reading))


def _size_answer(conversation: Conversation, money: Money, reading: Usage) -> int:
    """Return the tokens that are reserved for an answer after this reading."""
    per_token = _price_output(money, reading)
    reserved = math.floor(_ANSWER_SHARE * money.of_run / per_token) if per_token else _ANSWER
    return min(conversation.max_output, max(LEAST_OUTPUT, reserved, 2 * conversation.usual_output))


def _add_text(reading: Usage, tokens: int) -> Usage:
    """Return the use with more new text, by price."""
    if reading.input_tokens:
        return reading.evolve(input_tokens=reading.input_tokens + tokens)
    return reading.evolve(cache_write_tokens=reading.cache_write_tokens + tokens)


def measure_bytes_per_token(before: float | None, new_bytes: int, last: Usage | None, usage: Usage) -> float | None:
    """Return the fewest bytes of a token so far, by the server's count of each text that is long enough."""
    tokens = usage.read - (last.total if last else 0)
    if new_bytes < MEASURED_BYTES or tokens <= 0:
        return before
    return max(1.0, min(before or _MOST_BYTES, new_bytes / tokens))
