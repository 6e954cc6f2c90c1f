"""Closing of people's own questions by a message to the bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.addressing.named_question import Closing
from bot.intake.signals import ENDS_ALL
from bot.models.thread_event import Overheard

if TYPE_CHECKING:
    from bot.decide.addressing.addressee import Addressee
    from bot.intake.addressee import AddresseeRouter
    from bot.models.message import Message


async def close_questions(router: AddresseeRouter, message: Message, addressee: Addressee) -> None:
    """Close the questions that the author means, and say so; none if it is unclear which of several is meant."""
    questions = await router.own_questions.list_open(message.sender.id)
    if addressee.closing is None and addressee.order is None:
        await router.replies.report_nothing_running(message)
        return
    if not questions and addressee.order:
        await router.replies.run_order(message, addressee.order, was_started=False)
        return
    closing = addressee.closing or Closing()
    is_said = closing.is_named or addressee.order is not None
    for home in closing.homes:
        news = Overheard(at=router.clock.now(), fresh=router.new_id(), message=message, settles=is_said)
        await router.threads.add(home, news)
    meant = [question for question in questions if question.home in closing.homes]
    closed = [question for question in meant if not router.threads.is_open(question.home)]
    of_all = bool(addressee.order and addressee.order.command in ENDS_ALL)
    await router.replies.report_settlement(
        message, closed=closed, candidates=meant, questions=questions, is_order_for_all=of_all
    )
