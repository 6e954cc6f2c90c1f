"""The commands, put together: each name of the catalogue with the function that does it. Called by `bot/app`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.assistant.commands.about import help_
from bot.assistant.commands.desk import CommandDesk
from bot.assistant.commands.handler import CommandHandler
from bot.assistant.commands.messages import Messages
from bot.assistant.commands.permission import Permission

if TYPE_CHECKING:
    from bot.ground import Ground
    from bot.triage.orchestrator import Orchestrator


def command_desk(ground: Ground, orchestrator: Orchestrator) -> CommandDesk:
    """The desk that intake hands commands to."""
    settings = ground.settings
    messages = Messages(
        classified=ground.classified,
        store=orchestrator.store,
        team_id=ground.identity.team_id,
        url=ground.identity.url,
        watched=frozenset(chat.chat_id for chat in settings.watched_chats),
    )
    handler = CommandHandler(
        runs={"help": help_, "why": messages.why},
        permission=Permission(
            team_id=ground.identity.team_id,
            operators=frozenset(settings.operators),
            admins=frozenset(settings.admins),
            people=ground.chat,
            clock=ground.clock,
        ),
        audit=ground.audit,
        clock=ground.clock,
        redactor=ground.redactor,
    )
    return CommandDesk(handler=handler, chat=ground.chat)
