"""Engines: the engine that drafts, the validator, and what they run on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.agents.job_engine import JobValidator
    from bot.agents.jobs import JobRuns
    from bot.agents.ledger import Ledger
    from bot.agents.llm_runtime import LlmRuntime
    from bot.agents.validator import Validator
    from bot.ports.outbound import Engine, ToolServer


@dataclass(frozen=True, kw_only=True)
class Engines:
    """The engines of one bot. `start` comes before the first draft, `close` after the last."""

    engine: Engine
    validator: Validator | JobValidator | None = None
    runtime: LlmRuntime | None = None
    """`None` where nothing asks a model."""
    servers: tuple[ToolServer, ...] = ()
    jobs: JobRuns | None = None
    """Runs that replicas share; `None` where this process does its own."""

    @property
    def ledger(self) -> Ledger | None:
        """Cost of the agents; `None` where there are none."""
        return self.runtime.ledger if self.runtime else None

    async def start(self) -> None:
        """Count today's cost."""
        if self.runtime:
            await self.runtime.start()

    def warm_up(self) -> None:
        """Load the model's client in the background."""
        if self.runtime:
            self.runtime.warm_up()

    async def close(self) -> None:
        """Disconnect from the model and the servers."""
        if self.runtime:
            await self.runtime.close()
        for server in self.servers:
            await server.stop()
