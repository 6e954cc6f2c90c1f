"""Port of created tasks, as intake sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.message import Message


class TaskStopsPort(Protocol):
    """Stops of created tasks by words in their threads (`bot.tasks.task_stops.TaskStops`)."""

    async def stop(self, message: Message) -> bool:
        """Stop the task of a message's thread if its author created it; return whether that ended anything."""
