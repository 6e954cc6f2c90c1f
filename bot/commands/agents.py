"""Agents: `list_agents` shows the slots in which created tasks run, `create_agent` changes them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs import EmptyInput
from bot.commands.inputs_created import NewAgent
from bot.commands.registry import command
from bot.commands.state import count
from bot.models.agent import MAX_AGENTS, Agent
from bot.models.command_data.agents import AgentData, AgentsData

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.tasks.scheduler import TaskScheduler

NONE = "none"
_MOST_NAMED = 5
"""Number of tasks that a row names."""


@dataclass(frozen=True, kw_only=True)
class AgentCommands:
    """Commands on agents."""

    scheduler: TaskScheduler
    overview: ProjectOverview

    @command(
        "list_agents",
        "lists the agents of created tasks, with their slots and tasks",
        input=EmptyInput,
        role="operator",
        tier="read",
        untrusted="people",
        result=AgentsData,
    )
    async def list_agents(self, _: EmptyInput, asker: Asker) -> CommandAnswer:
        """List every agent, and count the tasks that wait."""
        present, planner = self.scheduler.agents.agents, self.scheduler.planner
        tasks = _group_tasks(planner.list_running())
        agents = [
            AgentData(name=agent.name, project=agent.project, slots=agent.slots, tasks=tasks.pop(agent.name, ()))
            for agent in present
        ]
        retired = [AgentData(name=name, project=None, slots=0, tasks=tasks[name]) for name in sorted(tasks)]
        waiting = len(planner.list_waiting())
        at_work = f", and {count(len(retired), 'retired one')} still at work" if retired else ""
        line = f"{count(len(agents), 'agent')}{at_work}; {count(waiting, 'created task')} not started yet."
        if not agents:
            line += " `create_agent agent-1` adds one."
        listed = (*agents, *retired)
        return CommandAnswer(
            line=line, rows=tuple(map(self._describe, listed)), data=AgentsData(agents=listed, waiting=waiting)
        )

    async def preview(self, request: NewAgent, _: Asker) -> str:
        """Say how many tasks may run at the same time, and what each may cost."""
        agent = self._plan(request)
        others = sum(each.slots for each in self.scheduler.agents.agents if each.name != request.name)
        total = others + (agent.slots if agent else 0)
        budget = self.scheduler.budget
        cost = f", each for at most ${budget.max_usd:,.2f}" if budget.ledger else ""
        return f"All agents together could then work on {count(total, 'task')} at the same time{cost}."

    @command(
        "create_agent",
        "adds an agent for created tasks, or changes the one of this name",
        input=NewAgent,
        role="admin",
        tier="reversible",
        deed="an agent was changed",
        needs_press=True,
        preview=preview,
    )
    async def create_agent(self, request: NewAgent, _: Asker) -> CommandAnswer:
        """Add, change or retire an agent; tasks that run go on to their end."""
        before, agent = self.scheduler.agents.find(request.name), self._plan(request)
        if agent is None:
            await self.scheduler.agents.remove(request.name)
            back = f" {_describe_way_back(before)}" if before else ""
            return CommandAnswer(line=f"Retired `{request.name}`: it gets no more tasks.{back}")
        if agent == before:
            return CommandAnswer(line=f"`{agent.name}` is as you say already: {_describe(agent)}.", is_unchanged=True)
        before = await self.scheduler.agents.put(agent)
        self.scheduler.wake()
        back = _describe_way_back(before) if before else f"`create_agent {agent.name} slots=0` retires it."
        verb = "Changed" if before else "Created"
        return CommandAnswer(line=f"{verb} `{agent.name}`: {_describe(agent)}. {back}")

    def _plan(self, request: NewAgent) -> Agent | None:
        """Return the agent as it would be, `None` if it is retired. Raises `NotDone`."""
        before = self.scheduler.agents.find(request.name)
        if request.slots == 0:
            if before is None:
                raise NotDone(f"There is no agent `{request.name}`. `list_agents` shows all.")
            return None
        if before is None and len(self.scheduler.agents.agents) >= MAX_AGENTS:
            raise NotDone(f"There are {MAX_AGENTS} agents already: change or retire one. `list_agents` shows them.")
        project = before.project if before else None
        if request.project:
            project = None if request.project.lower() == NONE else self.overview.find_project(request.project)
        slots = request.slots or (before.slots if before else 1)
        return Agent(name=request.name, project=project, slots=slots)

    def _describe(self, agent: AgentData) -> str:
        named = ", ".join(f"`{escape(task)}`" for task in agent.tasks[:_MOST_NAMED])
        left = len(agent.tasks) - _MOST_NAMED
        tasks = f"works on {named}{f' and {left} more' if left > 0 else ''}" if named else "works on nothing now"
        if not agent.slots:
            return f"`{agent.name}`, retired: {tasks}, to their end"
        is_missing = agent.project is not None and agent.project not in self.overview.projects.names
        missing = ", which does not exist any more" if is_missing else ""
        return f"`{agent.name}` {_describe_place(agent.project)}{missing}, {count(agent.slots, 'slot')}: {tasks}"


def _group_tasks(running: Iterable[Thread]) -> dict[str, tuple[str, ...]]:
    """Return the names of the tasks at work by their agent."""
    tasks: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for thread in running:
        if thread.order and thread.order.agent:
            tasks[thread.order.agent] += (thread.task,)
    return dict(tasks)


def _describe(agent: Agent) -> str:
    return f"{_describe_place(agent.project)}, {count(agent.slots, 'slot')}"


def _describe_place(project: str | None) -> str:
    return f"on `{escape(project)}` alone" if project else "on all projects"


def _describe_way_back(agent: Agent) -> str:
    return f"`create_agent {agent.name} {agent.project or NONE} {agent.slots}` takes that back."
