"""Slots of agents, by table."""

from __future__ import annotations

import pytest

from bot.decide.agent_slots import SlotCounts, count_slots
from bot.models.agent import Agent

ONE, TWO = Agent(name="a"), Agent(name="b", slots=2)


@pytest.mark.parametrize(
    ("agents", "running", "expected"),
    [
        ((), [], (0, 0, 0)),
        ((ONE, TWO), [], (3, 0, 0)),
        ((ONE, TWO), ["a", "b"], (3, 2, 0)),
        ((ONE, TWO), ["a", "a", "b"], (3, 2, 1)),
        ((ONE,), ["gone"], (1, 0, 1)),
        ((ONE,), ["gone", "a", None], (1, 1, 2)),
        ((), ["gone"], (0, 0, 1)),
    ],
    ids=["none", "idle", "busy", "fewer slots now", "retired", "retired beside a busy one", "all retired"],
)
def test_a_task_of_a_retired_agent_takes_no_slot_of_another(
    agents: tuple[Agent, ...], running: list[str | None], expected: tuple[int, int, int]
) -> None:
    """Nor does one more than an agent has slots."""
    total, busy, beyond = expected
    assert count_slots(agents, running) == SlotCounts(total=total, busy=busy, beyond=beyond)
