"""Record of an order, in `orders.json`: from its command to the end of its task.

The task's thread has the order for people; the record opens that thread, and says what to rebuild it from.
"""

from __future__ import annotations

from bot.models.fact import Fact
from bot.models.task_order import TaskOrder
from bot.models.thread_id import ThreadId


class OrderRecord(Fact):
    """Order of a command, with the place of its first message."""

    order: TaskOrder
    chat_id: str = ""
    """Channel of its first message; empty for the direct message of the person who created it, until that is known."""
    waits_for: tuple[str, ...] = ()
    """Names of the tasks that it waits for, as far as the readers of its place may know them."""
    waits_for_others: int = 0
    """Number of those that they may not know."""
    thread_id: ThreadId | None = None
    """Its thread; `None` until its first message is known to be posted and its thread saved."""
    is_over: bool = False
    """True once its task has ended; kept for an hour, since a command that a crash interrupted may come again."""
    refused_in: str = ""
    """Channel that it was meant for, where nothing could be posted; empty without one."""
    refusal: str = ""
    """The reason for that, or why even a direct message was refused, as a clause; empty without one."""
    notice: str = ""
    """Channel and ts of the admin's notice of the latter; empty without one."""

    @property
    def record_id(self) -> str:
        """Return the id by which it is found in its book."""
        return self.order.order_id
