"""Schedule of created tasks: the choice of those that start now, and of the agents that they run with. Pure.

The lowest priority number is first; among equals the project with the smallest share of recent starts by its weight,
then the oldest task.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from bot.models.agent import Agent

NO_PROJECT = ""
"""Name under which tasks without a project share starts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadyTask:
    """Task that nothing holds but a slot."""

    thread_id: str
    project: str | None
    priority: int
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningTask:
    """Task that has a slot."""

    agent: str | None
    project: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectShare:
    """Part of a project in the starts."""

    weight: float = 1.0
    max_agents: int | None = None
    """Maximum number of its tasks at the same time; `None` for as many as there are slots."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskStart:
    """Decision to start a task in a slot of an agent."""

    task: ReadyTask
    agent: str


def choose_starts(
    ready: Iterable[ReadyTask],
    running: Sequence[RunningTask],
    agents: Sequence[Agent],
    *,
    starts: Iterable[str],
    shares: Mapping[str, ProjectShare],
) -> tuple[TaskStart, ...]:
    """Return the tasks to start now, in order. `starts` are the projects of recent starts, `shares` those of projects
    by name."""
    waiting, chosen = [*ready], list[TaskStart]()
    used_slots = Counter(task.agent for task in running)
    busy = Counter(task.project or NO_PROJECT for task in running)
    recent = Counter(starts)
    while True:
        options = [
            (task, agent)
            for task in waiting
            if _has_room(task, busy, shares) and (agent := _find_agent(task, agents, used_slots))
        ]
        if not options:
            return tuple(chosen)
        task, agent = min(options, key=lambda option: _rank(option[0], recent, shares))
        project = task.project or NO_PROJECT
        chosen.append(TaskStart(task=task, agent=agent))
        waiting.remove(task)
        used_slots[agent] += 1
        busy[project] += 1
        recent[project] += 1


def _has_room(task: ReadyTask, busy: Counter[str], shares: Mapping[str, ProjectShare]) -> bool:
    """Return whether another task of the project may run."""
    share = shares.get(task.project or NO_PROJECT)
    return share is None or share.max_agents is None or busy[task.project or NO_PROJECT] < share.max_agents


def _find_agent(task: ReadyTask, agents: Sequence[Agent], used_slots: Counter[str | None]) -> str | None:
    """Return the agent with a free slot for a task, one that works on its project alone first."""
    fitting = [
        agent for agent in agents if agent.project in (None, task.project) and used_slots[agent.name] < agent.slots
    ]
    return min(fitting, key=lambda agent: (agent.project is None, agent.name)).name if fitting else None


def _rank(
    task: ReadyTask, recent: Counter[str], shares: Mapping[str, ProjectShare]
) -> tuple[int, float, datetime, str]:
    project = task.project or NO_PROJECT
    weight = shares[project].weight if project in shares else 1.0
    return task.priority, recent[project] / weight, task.created_at, task.thread_id
