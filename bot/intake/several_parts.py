"""Messages to the bot with several parts: the question is handed to triage, then the orders run in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.intake.classification import build_addressee_record
from bot.models.talk import is_direct

if TYPE_CHECKING:
    from bot.decide.addressing.addressee import Addressee
    from bot.intake.addressee import AddresseeRouter
    from bot.models.message import Message
    from bot.models.status import Mode
    from bot.ports.inbound import AssignThread


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
            await router.replies.explain_usage(message, router.place(message, mode))
    elif mode in ("live", "preview") and not was_begun:
        await router.classified.append(
            build_addressee_record(message, router.team.classifier, addressee, at=router.clock.now())
        )
    for order in several.orders:
        await router.replies.run_order(message, order, was_started=was_begun)
    return True
