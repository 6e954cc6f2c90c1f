"""Data of `get_status`."""

from __future__ import annotations

from bot.models.command_data.cost import CostData
from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class ChannelData(Fact):
    """A watched channel."""

    channel: str
    mode: str
    """`live`, `preview` or `silent`."""


class ProjectCounts(Fact):
    """Number of projects."""

    total: int
    """Those that can be used, paused ones included."""
    paused: int
    unusable: int


class AgentCounts(Fact):
    """Number of agents for created tasks, and of their slots."""

    total: int
    slots: int
    busy: int
    """Number of slots in which a task runs."""
    beyond: int
    """Number of tasks that run without a slot, since their agent was retired or has fewer slots now."""


class WorkData(Fact):
    """Projects, agents and open tasks."""

    projects: ProjectCounts
    agents: AgentCounts
    tasks: dict[str, int]
    """Number of open tasks by status, such as `READY`; questions of people count, too."""


class StatusData(Fact):
    """State of Triage."""

    state: str
    """`running`, `paused` or `stopped`."""
    since: UtcTime | None
    """Time of the pause or stop."""
    is_connected: bool
    """True if it is connected to Slack."""
    work: WorkData
    questions: dict[str, int]
    """Number of open questions by status."""
    decisions: int
    """Number of questions that wait for a decision."""
    runs: int
    """Number of runs under way."""
    held: int
    """Number of questions held by a pause or stop, of Triage or of their project."""
    waiting_turns: int
    """Number of questions that wait for their turn, by a rate limit."""
    channels: tuple[ChannelData, ...]
    muted_threads: int
    engine: str
    cost_today: CostData
    limit_today_usd: float | None
    """Limit of the agents' cost today; `None` for an engine without cost."""
    services: dict[str, int]
    """Number of checked services by status; `unchecked` without one."""
    searching: str | None
    """Problem of the search."""
    losses: tuple[str, ...]
    """Access that Slack denies."""
