"""Orders in messages to the bot: several in one message, the closing of own questions, and edits into orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.addressing.named_question import Closing
from bot.intake.classification import build_addressee_record
from bot.intake.signals import ENDS_ALL
from bot.models.conversation_record import is_direct
from bot.models.thread_event import Overheard

if TYPE_CHECKING:
    from bot.decide.addressing.addressee import Addressee
    from bot.intake.addressee import AddresseeRouter
    from bot.models.message import Message
    from bot.models.status import Mode
    from bot.ports.thread_assignment import AssignThread

_ACTS = ("command", "several", "settles", "chat")
"""Addressees that do what a message says."""


async def read_order_again(router: AddresseeRouter, message: Message, addressee: Addressee) -> Message | None:
    """Return a late order as its author last wrote it; `None` if it was deleted, other messages as they are."""
    if router.late is None or addressee.to not in _ACTS:
        return message
    return await router.late.read_again(message)


async def drop_revised_order(router: AddresseeRouter, message: Message) -> None:
    """Cancel the incomplete order that a message may complete, if its author has edited or deleted it since.

    Slack does not promise that the event of that comes before the message.
    """
    original = router.replies.find_incomplete_message(message)
    if original and router.late and await router.late.was_revised(original):
        router.replies.drop_incomplete_order(original)


async def do_several(
    router: AddresseeRouter,
    message: Message,
    mode: Mode | None,
    take: AssignThread,
    addressee: Addressee,
    *,
    was_begun: bool,
) -> bool:
    """Hand the question of a message to triage and run its orders, or say which part was not understood."""
    several = addressee.several
    assert several is not None  # noqa: S101  # tells the type checker
    if several.left:
        await router.replies.report_not_understood(message, several.left)
        return True
    if several.question:  # it is on disk when the orders begin
        alone = message.evolve(content=several.question, words=None, rules_content=None, own=None)
        if is_direct(message.chat_id) or mode in ("live", "preview"):
            await router.ask(alone, mode, take)
        else:
            await router.replies.explain_usage(message, router.kind_of_place(message, mode))
    elif mode in ("live", "preview") and not was_begun:
        await router.classified.append(
            build_addressee_record(message, router.team.classifier, addressee, at=router.clock.now())
        )
    for order in several.orders:
        await router.replies.run_order(message, order, was_started=was_begun)
    return True


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
        news = Overheard(at=router.clock.now(), fresh=router.clock.new_id(), message=message, settles=is_said)
        await router.threads.add(home, news)
    meant = [question for question in questions if question.home in closing.homes]
    closed = [question for question in meant if not router.threads.is_open(question.home)]
    of_all = bool(addressee.order and addressee.order.command in ENDS_ALL)
    await router.replies.report_settlement(
        message, closed=closed, candidates=meant, questions=questions, is_order_for_all=of_all
    )


async def is_order_now(router: AddresseeRouter | None, message: Message, mode: Mode | None) -> bool:
    """Return whether an edit turned an open question into an order."""
    if router is None or not router.is_addressed(message) or not router.threads.is_open(message.home):
        return False
    return message.thread_id is None and (await router.find_addressee(message, mode, edited=True)).to == "command"
