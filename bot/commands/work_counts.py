"""Numbers of projects, agents and open tasks, from memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot.decide.agent_slots import count_slots
from bot.models.command_data.status import AgentCounts, ProjectCounts, WorkData
from bot.models.task_status import TASK_STATUSES

if TYPE_CHECKING:
    from collections import Counter

    from bot.models.task_status import TaskStatus
    from bot.tasks.scheduler import TaskScheduler
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class WorkCounts:
    """Counts of what is worked on, and by whom."""

    projects: Projects
    scheduler: TaskScheduler

    async def count(self) -> WorkData:
        """Count projects, agents and open tasks; only results that tasks depend on may be read from disk, once."""
        projects, agents, planner = self.projects, self.scheduler.agents.agents, self.scheduler.planner
        slots = count_slots(agents, [thread.order.agent for thread in planner.list_running() if thread.order])
        names = {*projects.names}
        return WorkData(
            projects=ProjectCounts(
                total=len(names),
                paused=len(names & projects.settings_by_command.paused.keys()),
                unusable=len(projects.problems.keys() - names),
            ),
            agents=AgentCounts(total=len(agents), slots=slots.total, busy=slots.busy, beyond=slots.beyond),
            tasks=await self._count_tasks(),
        )

    async def _count_tasks(self) -> dict[str, int]:
        """Count the open tasks by status; those that wait for others, or never start, are blocked."""
        counts: Counter[TaskStatus] = self.scheduler.orchestrator.open_threads.task_counts()
        for holds in (await self.scheduler.planner.list_holds()).values():
            if any(hold.is_final or hold.reason == "dependencies" for hold in holds):
                counts.subtract({"READY": 1, "BLOCKED": -1})
        return {status: counts[status] for status in TASK_STATUSES if counts[status] > 0}


def describe_work(work: WorkData) -> str:
    """Describe the counts in a row."""
    projects, agents = work.projects, work.agents
    parts = [f"{projects.paused} paused"] if projects.paused else []
    parts += [f"{projects.unusable} that cannot be used"] if projects.unusable else []
    slots = f"{format_count(agents.slots, 'slot')}, {agents.busy} of them busy" if agents.slots else "no slot"
    slots += f", and {format_count(agents.beyond, 'task')} at work without a slot" if agents.beyond else ""
    tasks = ", ".join(f"{number} {status}" for status, number in work.tasks.items())
    among = f" ({', '.join(parts)})" if parts else ""
    return (
        f"{format_count(projects.total, 'project')}{among}; "
        f"{format_count(agents.total, 'agent')} with {slots}; open tasks: {tasks or 'none'}."
    )
