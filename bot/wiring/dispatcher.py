"""Dispatcher: a handler for each type of payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.suggested_prompts import SuggestedPrompts
from bot.intake.dispatcher import Dispatcher

if TYPE_CHECKING:
    from bot.chat.conversations import ChatConversations
    from bot.commands.entry import CommandDesk
    from bot.wiring.approval import PressHandlers
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake
    from bot.wiring.surfaces import Surfaces


def build_dispatcher(
    infra: Infrastructure,
    intake: Intake,
    surfaces: Surfaces,
    presses: PressHandlers,
    commands: CommandDesk,
    conversations: ChatConversations,
) -> Dispatcher:
    """Build the dispatcher."""
    return Dispatcher(
        watcher=intake.watcher,
        reactions=(intake.mutes, presses.corrections, presses.marks),
        commands=commands,
        cards=presses.cards,
        show_card=surfaces.showing,
        card_views=surfaces.views,
        feedback=presses.feedback,
        corrections=presses.corrections,
        confirmations=commands.confirming,
        homes=surfaces.homes,
        queue=surfaces.answers,
        prompts=SuggestedPrompts(signs=infra.chat, permission=infra.permission),
        pages=infra.looking,
        conversations=conversations,
        access=intake.access,
        audit=infra.audit,
        clock=infra.clock,
    )
