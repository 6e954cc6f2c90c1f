"""Key of the chat agent's model, and the model that reads it again when its server rejects it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.config.environment import read_model_key
from bot.errors import Misconfigured, NoKey

if TYPE_CHECKING:
    from bot.config.environment import Environment
    from bot.decide.redaction.redactor import Redactor
    from bot.models.model_request import ModelRequest
    from bot.models.turn import Turn
    from bot.ports.outbound import Model, ModelServer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelKey:
    """The key of one server; each new one is redacted from then on."""

    environment: Environment
    server: ModelServer
    redactor: Redactor

    def is_usable(self) -> bool:
        """Return whether the server can be asked."""
        return self.server.may_be_asked

    async def renew(self) -> bool:
        """Read the key's source again; return whether the server can be asked."""
        try:
            key = await asyncio.to_thread(read_model_key, self.environment)
        except Misconfigured as problem:
            log.warning("the model's key was not read anew: %s", problem)
            return False
        if key is not None:
            self.redactor.learn(key.get_secret_value())
        self.server.renew(key.get_secret_value() if key else None)
        return self.server.may_be_asked


class CredentialSource(Protocol):
    """Source of the model's key (`bot.chat.agent.ChatAgentFactory`)."""

    async def reload_credentials(self) -> bool:
        """Reload the key; return whether the model can be asked now."""


class KeyReloadingModel:
    """Model (`Model`) that reloads its key once, when its server rejects it.

    Only the rejected call is repeated, with the same history: the results of earlier commands are part of it, so they
    are not executed again.
    """

    def __init__(self, model: Model, factory: CredentialSource) -> None:
        self.name, self.max_output = model.name, model.max_output
        self._model = model
        self._factory = factory
        self._renewed = False

    async def reply(self, request: ModelRequest) -> Turn:
        """Return the model's next reply."""
        try:
            return await self._model.reply(request)
        except NoKey as problem:
            if self._renewed or not await self._factory.reload_credentials():
                raise
            self._renewed = True
            log.warning("the key was read anew: %s", problem)
        return await self._model.reply(request)
