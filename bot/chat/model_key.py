"""Key of the chat agent's model, read again when its server refuses it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.config.environment import read_model_key
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from bot.config.environment import Environment
    from bot.decide.redaction.redactor import Redactor
    from bot.ports.outbound import ModelServer

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
