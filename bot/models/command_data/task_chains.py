"""Data of `get_chain_health`."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.command_data.tasks import DependencyData
from bot.models.fact import Fact
from bot.models.task_hold import HoldReason
from bot.models.task_status import TaskStatus


class StuckChainData(Fact):
    """A task that failed, was stopped or never starts, with the tasks that cannot start because of it."""

    cause: str | None
    """Its name; null if its document is gone."""
    cause_thread_id: str
    cause_status: TaskStatus
    since: UtcTime | None
    can_restart: bool
    """True if `restart_task` starts it again; `skip_task` frees the others in any case."""
    stopped_by: str | None
    """Person who stopped it."""
    never_starts: bool
    """True if it waits for something that never comes, such as a project that no longer exists."""
    stuck: tuple[str, ...]
    """Names of the tasks that wait for it, directly or through others, the nearest first; perhaps none where it never
    starts."""


class HeldTasksData(Fact):
    """A reason why created tasks do not start, and these tasks."""

    reason: HoldReason
    project: str | None
    tasks: tuple[str, ...]


class ChainHealthData(Fact):
    """Health of the chains of one task, or of all created tasks."""

    task: str | None
    """Name of the task; null for all."""
    task_status: TaskStatus | None
    waits_for: tuple[DependencyData, ...]
    """Tasks that are not completed of those that it depends on directly."""
    dependents: tuple[str, ...]
    """Names of the created tasks that wait for it directly."""
    waiting: int
    """Number of created tasks that have not started."""
    stuck: int
    """Number of those that are stuck."""
    held: tuple[HeldTasksData, ...]
    """What those wait for that are not stuck, by reason; of the one task, or of all."""
    chains: tuple[StuckChainData, ...]
    """Stuck chains that the task is in; of all tasks, those that hold most first."""
    omitted: int
    """Number of stuck chains that are not listed, and of documents that were not read."""
