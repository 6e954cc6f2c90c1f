"""Port of the thread assignment, which handlers of messages call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from bot.models.message import Message
    from bot.models.status import Mode


class AssignThread(Protocol):
    """Thread assignment of a message (`bot.intake.thread_assignment.ThreadAssigner.take`)."""

    async def __call__(
        self, message: Message, mode: Mode, *, replayed: bool = False, record: dict[str, Any] | None = None
    ) -> bool:
        """Assign a message to its thread; return whether that changed anything. `record` is its record if it was
        classified."""
