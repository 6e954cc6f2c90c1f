"""Ports of created tasks, as listeners and intake see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.message import Message


class TaskRootsPort(Protocol):
    """First messages of open created tasks (`bot.triage.task_index.TaskIndex`)."""

    def has_root(self, channel: str, ts: str) -> bool:
        """Return whether a message of the bot opened the thread of such a task."""


class TaskStopsPort(Protocol):
    """Stops of created tasks by words in their threads (`bot.tasks.task_stops.TaskStops`)."""

    async def stop(self, message: Message) -> bool:
        """Stop the task of a message's thread if its author created it; return whether that ended anything."""
