"""Questions edited into orders: such a question is withdrawn, and the order is not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.intake.addressee import AddresseeRouter
    from bot.models.message import Message
    from bot.models.status import Mode


async def is_order_now(router: AddresseeRouter | None, message: Message, mode: Mode | None) -> bool:
    """Return whether an edit turned an open question into an order; its author is told that edits give no orders."""
    if router is None or not router.is_addressed(message) or not router.threads.is_open(message.home):
        return False
    if message.thread_id is not None or (await router.find_addressee(message, mode, edited=True)).to != "command":
        return False
    await router.replies.explain_no_order(message)
    return True
