"""Planner of created tasks: gathers what the schedule depends on, and decides by it what starts and what waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.task_schedule import ProjectShare, RunningTask, WaitingTask, plan_tasks
from bot.models.status import WORKED_ON

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.decide.task_schedule import SchedulePlan
    from bot.models.task_hold import TaskHold
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.tasks.agent_book import AgentBook
    from bot.tasks.day_budget import DayBudget
    from bot.tasks.dependencies import Dependencies
    from bot.triage.controls import Controls
    from bot.triage.projects import Projects
    from bot.triage.task_index import TaskIndex


@dataclass(frozen=True, kw_only=True)
class TaskPlanner:
    """Planner of open tasks, which are in memory; it changes nothing."""

    tasks: TaskIndex
    controls: Controls
    projects: Projects
    agents: AgentBook
    budget: DayBudget
    dependencies: Dependencies

    async def plan(self) -> SchedulePlan:
        """Decide which tasks start now, and what holds the others."""
        waiting = [await self._describe(thread, thread.order) for thread in self.list_waiting() if thread.order]
        running = [
            RunningTask(agent=thread.order.agent if thread.order else None, project=find_project(thread))
            for thread in self.list_running()
        ]
        shares = {
            part.belongs_to: ProjectShare(weight=part.weight, max_agents=part.max_agents)
            for part in self.projects.configured()
        }
        return plan_tasks(
            waiting,
            running,
            self.agents.agents,
            starts=self.agents.records.starts,
            shares=shares,
            state=self.controls.state,
            is_money_used_up=self.budget.is_used_up,
        )

    async def list_holds(self) -> Mapping[str, tuple[TaskHold, ...]]:
        """Return what holds each task that has not started, by thread (`TaskHolds`)."""
        return (await self.plan()).holds

    def list_running(self) -> list[Thread]:
        """Return the tasks that are at work."""
        return [thread for thread in self.tasks.open.values() if thread.status in WORKED_ON]

    def list_waiting(self) -> list[Thread]:
        """Return the tasks that have not started."""
        return [thread for thread in self.tasks.open.values() if thread.status == "collecting"]

    async def _describe(self, thread: Thread, order: TaskOrder) -> WaitingTask:
        return WaitingTask(
            thread_id=thread.thread_id,
            project=find_project(thread),
            priority=order.priority,
            created_at=order.created_at,
            waits_for=tuple(await self.dependencies.list_open(order)),
            project_hold=self.projects.find_hold(thread),
        )


def find_project(thread: Thread) -> str | None:
    """Return the project that a task works on; `None` for the best match among all."""
    named = thread.order.project if thread.order else None
    name = named or (thread.route.project if thread.route else None)
    return name.partition("/")[0] if name else None
