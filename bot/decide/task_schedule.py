"""Schedule of created tasks: those that start now, the agents that they run with, and what holds all others. Pure.

The lowest priority number is first; among equals the project with the smallest share of recent starts by its weight,
then the oldest task. The scheduler starts by this plan, and people are told the holds of the same plan.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.models.task_hold import TaskHold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from bot.models.agent import Agent

NO_PROJECT = ""
"""Name under which tasks without a project share starts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingTask:
    """Task that has not started."""

    thread_id: str
    project: str | None
    priority: int
    created_at: datetime
    waits_for: tuple[str, ...] = ()
    """Names of the tasks that it depends on and that are not completed."""
    project_hold: TaskHold | None = None
    """Reason why its project cannot be worked on."""


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

    task: WaitingTask
    agent: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SchedulePlan:
    """Decision about every task that waits: it starts, or something holds it."""

    starts: tuple[TaskStart, ...]
    """Tasks to start now, in order."""
    holds: Mapping[str, tuple[TaskHold, ...]]
    """Holds of each of the others, by thread; at least one each."""


def plan_tasks(
    waiting: Sequence[WaitingTask],
    running: Sequence[RunningTask],
    agents: Sequence[Agent],
    *,
    starts: Iterable[str],
    shares: Mapping[str, ProjectShare],
    state: Literal["running", "paused", "stopped"] = "running",
    is_money_used_up: bool = False,
) -> SchedulePlan:
    """Plan the tasks. `starts` are the projects of recent starts, `shares` those of projects by name, `state` is that
    of Triage."""
    general = [TaskHold(reason=state)] if state != "running" else []
    general += [TaskHold(reason="budget")] if is_money_used_up else []
    holds = {task.thread_id: (*_list_own_holds(task, agents), *general) for task in waiting}
    ready = [task for task in waiting if not holds[task.thread_id]]
    used_slots = Counter(task.agent for task in running)
    busy = Counter(task.project or NO_PROJECT for task in running)
    chosen = _choose_starts(ready, agents, used_slots, busy, recent=Counter(starts), shares=shares)
    started = {start.task.thread_id for start in chosen}
    holds |= {task.thread_id: (_find_limit(task, busy, shares),) for task in ready}
    return SchedulePlan(starts=chosen, holds={name: each for name, each in holds.items() if name not in started})


def _list_own_holds(task: WaitingTask, agents: Sequence[Agent]) -> tuple[TaskHold, ...]:
    """Return what holds a task whatever the others do, the hardest to end first."""
    holds = [task.project_hold] if task.project_hold else []
    if task.waits_for:
        place = 1 if holds and holds[0].is_final else 0
        holds.insert(place, TaskHold(reason="dependencies", tasks=task.waits_for))
    if not task.project_hold and not any(_fits(agent, task) for agent in agents):
        holds.append(TaskHold(reason="no-agent", project=task.project or NO_PROJECT))
    return tuple(holds)


def _choose_starts(
    ready: Sequence[WaitingTask],
    agents: Sequence[Agent],
    used_slots: Counter[str | None],
    busy: Counter[str],
    *,
    recent: Counter[str],
    shares: Mapping[str, ProjectShare],
) -> tuple[TaskStart, ...]:
    """Return the tasks to start now, in order; `used_slots` and `busy` count them at the end."""
    left, chosen = [*ready], list[TaskStart]()
    while True:
        options = [
            (task, agent)
            for task in left
            if _has_room(task, busy, shares) and (agent := _find_agent(task, agents, used_slots))
        ]
        if not options:
            return tuple(chosen)
        task, agent = min(options, key=lambda option: _rank(option[0], recent, shares))
        project = task.project or NO_PROJECT
        chosen.append(TaskStart(task=task, agent=agent))
        left.remove(task)
        used_slots[agent] += 1
        busy[project] += 1
        recent[project] += 1


def _find_limit(task: WaitingTask, busy: Counter[str], shares: Mapping[str, ProjectShare]) -> TaskHold:
    """Return what holds a task that only the work of others keeps from its start."""
    if _has_room(task, busy, shares):
        return TaskHold(reason="slots")
    project = task.project or NO_PROJECT
    return TaskHold(reason="max-agents", project=project, limit=shares[project].max_agents)


def _has_room(task: WaitingTask, busy: Counter[str], shares: Mapping[str, ProjectShare]) -> bool:
    """Return whether another task of the project may run."""
    share = shares.get(task.project or NO_PROJECT)
    return share is None or share.max_agents is None or busy[task.project or NO_PROJECT] < share.max_agents


def _find_agent(task: WaitingTask, agents: Sequence[Agent], used_slots: Counter[str | None]) -> str | None:
    """Return the agent with a free slot for a task, one that works on its project alone first."""
    fitting = [agent for agent in agents if _fits(agent, task) and used_slots[agent.name] < agent.slots]
    return min(fitting, key=lambda agent: (agent.project is None, agent.name)).name if fitting else None


def _fits(agent: Agent, task: WaitingTask) -> bool:
    """Return whether an agent works on the project of a task."""
    return agent.project in (None, task.project)


def _rank(
    task: WaitingTask, recent: Counter[str], shares: Mapping[str, ProjectShare]
) -> tuple[int, float, datetime, str]:
    project = task.project or NO_PROJECT
    weight = shares[project].weight if project in shares else 1.0
    return task.priority, recent[project] / weight, task.created_at, task.thread_id
