"""Data of `get_token_usage` and `metrics`."""

from __future__ import annotations

from bot.models.command_data.cost import CostData, TokensData
from bot.models.fact import Fact


class UsageGroup(Fact):
    """Runs of one day, project, agent or task."""

    name: str
    runs: int
    tokens: TokensData
    cost: CostData


class UsageData(Fact):
    """Runs of agents on a model."""

    days: int
    by: str
    """`day`, `project`, `agent` or `task`."""
    project: str | None
    """Only project whose runs count, if one was named."""
    task: str | None
    """Only task whose runs count, if one was named."""
    runs: int
    tokens: TokensData
    cost: CostData
    groups: tuple[UsageGroup, ...]
    """The most expensive first; days the newest first."""


class MetricsData(Fact):
    """Figures of the last days; `triage metrics --json` prints the same."""

    days: int
    figures: dict[str, int | float | None]
    """Number by name; medians of times are in minutes, `None` without a measurement."""
    messages: dict[str, int]
    """Number of messages by class."""
    first_drafts: dict[str, int]
    """Number of first drafts by verdict."""
    feedback: dict[str, int]
    """Number of readers' thumbs and reasons."""
    warnings: tuple[str, ...]
