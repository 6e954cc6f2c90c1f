"""Agent: slots in which created tasks run, for one project or for all."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bot.models.fact import Fact
from bot.models.task_order import AgentName

MAX_SLOTS = 10
MAX_AGENTS = 10
DEFAULT_AGENT = "agent-1"
"""The agent of a home where nobody has created one."""
MAX_STARTS = 100
"""Number of starts that the shares of projects are counted from, the newest ones."""

SlotCount = Annotated[int, Field(ge=1, le=MAX_SLOTS)]


class Agent(Fact):
    """Worker with a number of slots, each for one task at a time."""

    name: AgentName
    project: str | None = None
    """Its permanent workspace, the only project that it works on; `None` for all."""
    slots: SlotCount = 1


class AgentRecords(Fact):
    """Content of `agents.json`."""

    schema_version: Literal[1] = 1
    agents: Annotated[tuple[Agent, ...], Field(max_length=MAX_AGENTS)] = (Agent(name=DEFAULT_AGENT),)
    starts: Annotated[tuple[str, ...], Field(max_length=MAX_STARTS)] = ()
    """Projects of the last starts, oldest first; an empty name for a task without one."""
