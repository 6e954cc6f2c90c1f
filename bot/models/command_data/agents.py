"""Data of `list_agents`: agents, their workspaces and their tasks."""

from __future__ import annotations

from bot.models.fact import Fact


class AgentData(Fact):
    """An agent, and its tasks now."""

    name: str
    project: str | None
    """The only project that it works on; `None` for all."""
    slots: int
    """Number of tasks at the same time; 0 for a retired agent, whose tasks go on to their end."""
    tasks: tuple[str, ...]
    """Names of the tasks that it works on."""


class AgentsData(Fact):
    """All agents, retired ones with tasks at work included, and the tasks that wait for them."""

    agents: tuple[AgentData, ...]
    waiting: int
    """Number of created tasks that have not started."""
