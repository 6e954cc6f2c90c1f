"""Incomplete orders: orders that lack a field, which only their sender's next message in that place may give.

Another message, an edit or the deletion of the order cancels it. Kept in memory: after a restart the whole order must
be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.message import Deletion, Message
    from bot.models.order import Order

MAX_AGE = timedelta(minutes=10)
"""Maximum time between an order and the message that completes it."""


@dataclass
class _IncompleteOrder:
    message: Message
    order: Order
    missing: str | None = None
    """Missing field; `None` while the order is executed."""
    next_id: str | None = None
    """Id of the sender's next message, once it has come."""


@dataclass(frozen=True)
class IncompleteOrders:
    """Last order of each person in each place, if it lacks a field."""

    _orders: dict[tuple[str, str], _IncompleteOrder] = field(default_factory=dict)

    def begin(self, message: Message, order: Order) -> None:
        """Note that an order is executed, so that messages, edits and deletions meanwhile count."""
        self._orders[_place(message)] = _IncompleteOrder(message, order)

    def end(self, message: Message, missing: str | None) -> None:
        """Note the result of an order's execution: the field that it lacks, if any."""
        current = self._orders.get(_place(message))
        if current is None or current.message is not message:
            return
        current.missing = missing
        if missing is None or current.next_id is not None:
            del self._orders[_place(message)]

    def note(self, message: Message) -> None:
        """Note a new message: the one after the next cancels its sender's incomplete order."""
        current = self._orders.get(_place(message))
        is_later = current is not None and message.create_time >= current.message.create_time
        if current is None or not is_later or message.message_id in (current.message.message_id, current.next_id):
            return
        if current.next_id is None:
            current.next_id = message.message_id
        else:
            del self._orders[_place(message)]

    def revise(self, revised: Message | Deletion) -> None:
        """Cancel the incomplete order of a message that was deleted, or edited into another text."""
        for place, current in list(self._orders.items()):
            is_same = (current.message.chat_id, current.message.message_id) == (revised.chat_id, revised.message_id)
            if is_same and getattr(revised, "content", None) != current.message.content:
                del self._orders[place]

    def find_message(self, message: Message) -> Message | None:
        """Return the message of the order that this message may complete."""
        return self._orders[_place(message)].message if self.find(message) else None

    def drop(self, original: Message) -> None:
        """Cancel the incomplete order of a message."""
        if (current := self._orders.get(_place(original))) and current.message is original:
            del self._orders[_place(original)]

    def find(self, message: Message) -> tuple[Order, str] | None:
        """Return the order that this message may complete, and its missing field."""
        current = self._orders.get(_place(message))
        if current is None or current.missing is None or current.next_id != message.message_id:
            return None
        is_fresh = message.create_time - current.message.create_time <= MAX_AGE
        return (current.order, current.missing) if is_fresh else None


def _place(message: Message) -> tuple[str, str]:
    return message.sender.id, message.chat_id
