"""Requester of an order that a message gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.interaction import Requester, message_interaction_id
from bot.models.message import own_words

if TYPE_CHECKING:
    from bot.models.message import Message
    from bot.models.order import Order


_OWN_THREAD_ORDERS = ("set_active_project",)
"""Orders that apply to the thread that their message begins; all others name a thread or are given in it."""


def find_requester(message: Message, order: Order | None = None) -> Requester:
    """Return the author of a message as requester; an order about its own thread carries the thread that it begins."""
    begins = order is not None and order.command in _OWN_THREAD_ORDERS
    return Requester(
        text=own_words(message),
        interaction_id=message_interaction_id(message),
        team_id=message.team_id,
        user_id=message.sender.id,
        channel_id=message.chat_id,
        thread_id=message.home if begins else message.thread_id,
        via="thread",
        looks_at=message.page.channel_id if message.page else "",
    )
