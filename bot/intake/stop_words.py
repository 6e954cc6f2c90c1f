"""Stop words: a message that only says stop ends a chat turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.message import without_mention

if TYPE_CHECKING:
    from bot.intake.addressee import AddresseeRouter
    from bot.models.message import Message


def is_stop_word(router: AddresseeRouter, message: Message) -> bool:
    """Return whether a message, without the mention of the bot, is a stop word."""
    return router.words.calls_off(without_mention(message.own_content, router.team.classifier.bot_id))


async def handle_stop_word(router: AddresseeRouter, message: Message) -> bool:
    """Return whether a stop word was handled: it cancelled a turn, or met one of somebody else, which goes on."""
    if await router.called_off(message):
        return True
    return (
        message.thread_id is not None
        and is_stop_word(router, message)
        and await router.conversations.explain_not_cancelled(message)
    )
