"""LLM runtime: model server, ledger and limits that all agents share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.loop import Loop
from bot.models.model_parameters import ModelParameters
from bot.models.turn import Usage

if TYPE_CHECKING:
    from bot.agents.key_notice import KeyNotice
    from bot.agents.ledger import Ledger
    from bot.decide.limits import RunLimits
    from bot.ports.outbound import Clock, ModelServer

_PLAIN = ModelParameters(max_tokens=8_192)


@dataclass(frozen=True, kw_only=True)
class LlmRuntime:
    """Runtime of all agents. `start` comes before the first run, `close` after the last."""

    server: ModelServer
    ledger: Ledger
    limits: RunLimits
    """Limits of one investigation."""
    clock: Clock
    key_notice: KeyNotice | None = None

    def loop(self, model: str, parameters: ModelParameters = _PLAIN) -> Loop:
        """Build a loop on a model, such as `claude-opus-5-5`, with these parameters of its calls."""
        client = self.server.model(model, parameters)
        return Loop(model=client, ledger=self.ledger, clock=self.clock, key_notice=self.key_notice)

    async def start(self, *, owns_home: bool = True) -> None:
        """Count today's cost, and close the records that a crash cut off, in a home of this process alone."""
        await self.load_prices()
        await self.ledger.start(owns_home=owns_home)

    async def load_prices(self) -> None:
        """Load the table of prices, which the first price would do on the event loop."""
        await asyncio.to_thread(self.ledger.price, "", Usage())  # takes half a second

    def warm_up(self) -> None:
        """Load the model's client in the background, so that the first question need not wait for it."""
        self.server.warm_up()

    async def close(self) -> None:
        """Close the connections."""
        await self.server.close()
