"""Closing of people's own questions by a message to the bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.addressing.named_question import Closing
from bot.intake.signals import ENDS_ALL
from bot.models.thread_event import Overheard

if TYPE_CHECKING:
    from bot.decide.addressing.addressee import Door
    from bot.intake.addressee import Doors
    from bot.models.message import Message


async def settle(doors: Doors, message: Message, found: Door) -> None:
    """Close the questions that the author means, and say so; none if it is unclear which of several is meant."""
    questions = await doors.own_questions.open_of(message.sender.id)
    if found.closing is None and found.order is None:
        await doors.replies.nothing_runs(message)
        return
    if not questions and found.order:
        await doors.replies.obey(message, found.order, was_begun=False)
        return
    closing = found.closing or Closing()
    is_said = closing.is_named or found.order is not None
    for home in closing.homes:
        news = Overheard(at=doors.clock.now(), fresh=doors.new_id(), message=message, settles=is_said)
        await doors.threads.add(home, news)
    meant = [one for one in questions if one.home in closing.homes]
    closed = [one for one in meant if not doors.threads.is_open(one.home)]
    of_all = bool(found.order and found.order.command in ENDS_ALL)
    await doors.replies.settled(message, closed=closed, meant=meant, questions=questions, is_order_for_all=of_all)
