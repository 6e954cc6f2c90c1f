"""The chat agent's mind, put together: its model on the engine's ground, its tools over the commands' handler.

Its runs count in the engine's ledger.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from bot.chat.agent import Mind
from bot.chat.toolbox import Toolbox
from bot.config.environment import key_of_model
from bot.decide.limits import RunLimits
from bot.errors import Misconfigured
from bot.tools.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat.wording import ChatWording
    from bot.commands.handler import CommandHandler
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.wiring.llm_runtime import Thinking

log = logging.getLogger(__name__)

MAX_OUTPUT = 4_096
"""Tokens of one turn: what is filed as a note is written in a call, so the spec's 1,024 would cut it."""
SUMMARY_OUTPUT = 512
"""Tokens of a summary."""


def mind(
    settings: Settings,
    environment: Environment,
    handler: CommandHandler,
    thinking: Thinking | None,
    *,
    redactor: Redactor,
    new_id: Callable[[], str],
    wording: ChatWording,
) -> Mind:
    """From plain settings. `thinking` is what the engine stands on; without it the mind is not ready."""
    section = settings.chat
    toolbox = Toolbox(
        execute=handler.execute,
        refusal=handler.permission.refusal,
        guard=Guard(redactor=redactor, new_nonce=new_id),
        catalogue=handler.catalogue,
        wording=wording,
    )
    limits = RunLimits(
        turns=section.max_turns + 1,  # the last one is for the answer
        seconds=section.max_seconds,
        idle_seconds=section.max_seconds,
        usd=section.max_usd,
        corrections=1,
    )
    if thinking is None or settings.chat_model is None:
        return Mind(toolbox=toolbox, limits=limits)
    return Mind(
        toolbox=toolbox,
        limits=limits,
        loop=thinking.loop(settings.chat_model, max_output=MAX_OUTPUT),
        summing=thinking.loop(settings.chat_model, max_output=SUMMARY_OUTPUT),
        can_ask=lambda: thinking.server.may_be_asked,
        renew=_renewing(environment, thinking, redactor),
    )


def _renewing(environment: Environment, thinking: Thinking, redactor: Redactor) -> Callable[[], Awaitable[bool]]:
    async def renew() -> bool:
        try:
            key = await asyncio.to_thread(key_of_model, environment)
        except Misconfigured as problem:
            log.warning("the model's key was not read anew: %s", problem)
            return False
        if key is not None:
            redactor.learn(key.get_secret_value())
        thinking.server.renew(key.get_secret_value() if key else None)
        return thinking.server.may_be_asked

    return renew
