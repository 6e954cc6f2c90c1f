"""LLM runtime: model server, ledger and limits that all agents share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.loop import Loop
from bot.models.turn import Usage

if TYPE_CHECKING:
    from bot.agents.ledger import Ledger
    from bot.decide.limits import RunLimits
    from bot.ports.outbound import Clock, ModelServer

MAX_OUTPUT = 8_192
"""Tokens of one turn of an agent."""


@dataclass(frozen=True, kw_only=True)
class LlmRuntime:
    """Runtime of all agents. `start` comes before the first run, `close` after the last."""

    server: ModelServer
    ledger: Ledger
    limits: RunLimits
    """Limits of one investigation."""
    clock: Clock

    def loop(self, model: str, *, max_output: int = MAX_OUTPUT) -> Loop:
        """Build a loop on a model, such as `claude-opus-5-5`, with at most so many tokens a turn."""
        client = self.server.model(model, max_output=max_output)
        return Loop(model=client, ledger=self.ledger, clock=self.clock)

    async def start(self) -> None:
        """Count today's cost, and close the records that a crash cut off."""
        self.server.warm_up()
        await asyncio.to_thread(self.ledger.price, "", Usage())  # the first price loads the table, for half a second
        await self.ledger.start()

    async def close(self) -> None:
        """Close the connections."""
        await self.server.close()
