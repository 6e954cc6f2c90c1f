"""Data of `brief`."""

from __future__ import annotations

from bot.models.command_data.cost import CostData
from bot.models.command_data.fields import UtcTime
from bot.models.command_data.tasks import TaskData, WaitingTaskData
from bot.models.fact import Fact


class BriefData(Fact):
    """Contents of the morning brief."""

    since: UtcTime
    until: UtcTime
    came_in: tuple[TaskData, ...]
    """Questions asked in the period."""
    waiting: tuple[WaitingTaskData, ...]
    """Questions that wait for a decision, the oldest first."""
    held: tuple[TaskData, ...]
    """Questions held for low confidence."""
    escalated: tuple[TaskData, ...]
    open: int
    """Number of all questions that are not closed."""
    replies: int
    """Number of replies posted in the period."""
    outages: int
    """Number of outages that are not over, or ended in the period."""
    cost: CostData
