"""Slots of agents: the number in use, and the tasks that run without one. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.agent import Agent


@dataclass(frozen=True, kw_only=True, slots=True)
class SlotCounts:
    """Numbers of slots of all agents."""

    total: int
    busy: int
    beyond: int
    """Number of tasks that run without a slot: their agent was retired, or has fewer slots than tasks now."""


def count_slots(agents: Sequence[Agent], running: Iterable[str | None]) -> SlotCounts:
    """Count the slots; `running` are the agents of the tasks at work, one for each task."""
    tasks = Counter(running)
    busy = sum(min(tasks[agent.name], agent.slots) for agent in agents)
    return SlotCounts(total=sum(agent.slots for agent in agents), busy=busy, beyond=tasks.total() - busy)
