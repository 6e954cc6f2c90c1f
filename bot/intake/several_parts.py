"""Messages to the bot with several parts: the question is handed to triage, then the orders run in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.intake.classification import door_record
from bot.models.talk import is_direct

if TYPE_CHECKING:
    from bot.decide.addressing.addressee import Door
    from bot.intake.addressee import Doors
    from bot.models.message import Message
    from bot.models.status import Mode
    from bot.ports.inbound import Take


async def do_several(
    doors: Doors, message: Message, mode: Mode | None, take: Take, found: Door, *, was_begun: bool
) -> bool:
    """Hand the question of a message to triage and run its orders, or say which part was not understood."""
    several = found.several
    assert several is not None  # noqa: S101  # tells the type checker
    if several.left:
        await doors.replies.not_done(message, several.left)
        return True
    if several.question:  # it is on disk when the orders begin
        alone = message.evolve(content=several.question, words=None, heard=None, own=None)
        if is_direct(message.chat_id) or mode in ("live", "preview"):
            await doors.ask(alone, mode, take)
        else:
            await doors.replies.point(message, doors.place(message, mode))
    elif mode in ("live", "preview") and not was_begun:
        await doors.classified.append(door_record(message, doors.team.classifier, found, at=doors.clock.now()))
    for order in several.orders:
        await doors.replies.obey(message, order, was_begun=was_begun)
    return True
