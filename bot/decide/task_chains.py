"""Chains of tasks: the tasks that cannot start because of one that failed, was stopped or never starts. Pure."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from bot.models.task_status import TaskStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainTask:
    """A task in chains of dependencies."""

    thread_id: str
    task: str
    """Its name; empty if its document is gone or unreadable."""
    status: TaskStatus
    """Its status without regard to its dependencies: one that waits is ready, one that a person stopped or that never
    starts is blocked."""
    since: datetime | None = None
    """Time of the last change of its status."""
    depends_on: tuple[str, ...] = ()
    can_restart: bool = False
    """True if a command restarts it."""
    stopped_by: str | None = None
    """The person who stopped it."""
    never_starts: bool = False
    """True if it waits for something that never comes, such as a project that no longer exists."""

    @property
    def holds(self) -> bool:
        """Return whether the tasks that depend on it cannot start until a person does something."""
        return self.status in ("FAILED", "BLOCKED")


@dataclass(frozen=True, kw_only=True, slots=True)
class StuckChain:
    """A task that failed, was stopped or never starts, with all that wait for it, directly or through others."""

    cause: ChainTask
    stuck: tuple[ChainTask, ...]


def find_stuck_chains(tasks: Mapping[str, ChainTask]) -> tuple[StuckChain, ...]:
    """Return the stuck chains among tasks by thread, those that hold most first.

    A task that waits for one at work is not stuck. A task that is held by several is in the chain of each. One that
    never starts is stuck itself, and has a chain also if it holds no other.
    """
    dependents = list_dependents(tasks.values())
    chains = [
        StuckChain(cause=task, stuck=stuck)
        for task in tasks.values()
        if task.holds and ((stuck := _follow(task.thread_id, tasks, dependents)) or task.never_starts)
    ]
    return tuple(sorted(chains, key=lambda chain: (-len(chain.stuck), chain.cause.thread_id)))


def list_dependents(tasks: Iterable[ChainTask]) -> dict[str, list[str]]:
    """Return the tasks that depend directly on each task, by thread."""
    dependents: defaultdict[str, list[str]] = defaultdict(list)
    for task in tasks:
        for thread_id in task.depends_on:
            dependents[thread_id].append(task.thread_id)
    return dependents


def _follow(
    thread_id: str, tasks: Mapping[str, ChainTask], dependents: Mapping[str, list[str]]
) -> tuple[ChainTask, ...]:
    """Return the tasks that wait for a task, each once, the nearest first."""
    known, stuck, left = {thread_id}, list[ChainTask](), deque([thread_id])
    while left:
        for name in dependents.get(left.popleft(), ()):
            if name not in known and tasks[name].status == "READY":
                known.add(name)
                stuck.append(tasks[name])
                left.append(name)
    return tuple(stuck)
