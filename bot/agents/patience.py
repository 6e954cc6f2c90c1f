"""Patience with the model's server: the same call is tried again after temporary failures, while the run has time."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot.errors import Unreachable

if TYPE_CHECKING:
    from bot.agents.answers import Form
    from bot.agents.run_state import RunState
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

PAUSES = (2.0, 4.0, 8.0, 15.0)
"""Seconds before each further try, where the server names none; the last one repeats."""
LEAST_PAUSE = 1.0
"""Minimum of seconds, whatever the server says."""
_LONGEST_NAMED = 86_400.0
"""Seconds of the longest pause that a reason names."""
LEAST_TIME = 1.0
"""Seconds that a try needs at least."""


async def wait_for_server(clock: Clock, state: RunState[Form], problem: Unreachable, *, seconds_left: float) -> None:
    """Wait before the next try of a call that failed with `problem`.

    Raises the failure where the run has no time or no try left for another; its text then has the tries and the turns
    before them.
    """
    retries = state.task.limits.retries
    if problem.passing and state.session.num_turns:  # an error page of a proxy, or the like: the address is right
        problem.temporary, problem.args = True, (problem.passing,)
    may_retry = problem.temporary and (retries is None or len(state.failures) < retries)
    state.failures.append(str(problem))
    if problem.unchecked_notes.strip() and problem.unchecked_notes not in state.broken_texts:
        state.broken_texts.append(problem.unchecked_notes)
    pause = find_pause(len(state.failures), problem.after)
    if not may_retry or pause + LEAST_TIME > seconds_left:
        is_too_long = may_retry and pause == problem.after and pause <= _LONGEST_NAMED
        asked = f"; it asks to wait {pause:,.0f} s, and the run has {max(0.0, seconds_left):,.0f} s left"
        problem.args = (_describe_failure(state, seconds_left=seconds_left, asked=asked if is_too_long else ""),)
        try:
            raise problem
        finally:
            del problem  # the error and this frame would refer to each other
    text = f"waits {pause:g} s for the model's server and tries again: {problem}"
    log.warning("session %s %s", state.session.session_id, text)
    if state.task.journal:
        await state.task.journal.say(text)
    await clock.sleep(pause)


def find_pause(tries: int, after: float | None) -> float:
    """Return the seconds before the next try, after so many; `after` are those that the server asks for."""
    if after is not None and math.isfinite(after):
        return max(LEAST_PAUSE, after)
    return PAUSES[min(tries, len(PAUSES)) - 1]


def build_failure(state: RunState[Form], limit: str) -> Unreachable:
    """Build the error of a run whose tries have used up another limit than its time."""
    return Unreachable(f"{_describe_failure(state)}; {limit}")


def describe_turns(state: RunState[Form]) -> str:
    """Describe the turns of a run before its failure, as the end of a sentence; empty if there are none."""
    turns, calls = state.session.num_turns, state.session.tool_calls
    return f"; {format_count(turns, 'turn')} with {format_count(calls, 'call')} came before" if turns else ""


def _describe_failure(state: RunState[Form], *, seconds_left: float = math.inf, asked: str = "") -> str:
    """Describe the failure that a person should know, with the number of tries, the pause that the server `asked` for
    and the turns before it.

    A call that the end of the run cut off says nothing about the server where an earlier one does.
    """
    *earlier, text = state.failures
    text = earlier[-1] if earlier and seconds_left < LEAST_TIME else text
    tries = f", {len(state.failures)} times in a row" if earlier else ""
    return f"{text}{tries}{asked}{describe_turns(state)}"
