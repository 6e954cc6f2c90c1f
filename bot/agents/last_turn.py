"""Circles and the last turn of a run: what the model and the journal are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.agents.run_state import ANSWER_NOW, end_in_circle, not_run
from bot.models.turn import CodeMessage, Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agents.answers import Form
    from bot.agents.run_state import End, RunState
    from bot.decide.loopguard import Circle
    from bot.models.turn import Call


async def note(state: RunState[Form], text: str) -> None:
    """Write a line into the run's journal, if it has one."""
    if state.task.journal:
        await state.task.journal.say(text)


async def begin_last_turn(state: RunState[Form], limit: str, circle: Circle | None = None) -> None:
    """Announce the last turn to the model, because of this limit or circle."""
    await note(state, f"The next turn is the last one: {limit}")
    state.begin_last_turn(limit, circle)


async def warn_of_circle(state: RunState[Form], circle: Circle) -> None:
    """Warn a model that begins to go in a circle."""
    await note(state, f"The model is warned of a circle: {circle.reason}")
    state.add_entry(CodeMessage(f"You are going in a circle: {circle.reason}. Try something else, or answer."))


async def stop_circle(state: RunState[Form], circle: Circle, unanswered: Sequence[Call] = ()) -> End[Form] | None:
    """Announce the last turn to a model that goes in a circle, or return the end of the run after that one.

    Calls that are `unanswered` are not run.
    """
    if state.last_limit or state.task.is_closed():  # it has answered already
        return end_in_circle(circle)
    if unanswered:
        results = tuple(not_run(call, ANSWER_NOW) for call in unanswered)
        if state.task.journal:
            await state.task.journal.record_results(unanswered, results)
        state.add_entry(Results(results))
    await begin_last_turn(state, f"the model goes in a circle: {circle.reason}", circle)
    return None
