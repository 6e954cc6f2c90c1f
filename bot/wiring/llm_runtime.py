"""What agents think with, put together: one server, one ledger, a loop for each model.

The only place beside `wiring/app` that knows both the doers and the edges of a model.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.claude import ClaudeModel, Server
from bot.adapters.json_file import KeptFile
from bot.adapters.prices import PriceTable
from bot.adapters.sessions import SessionFiles
from bot.agents.ledger import Ledger
from bot.agents.loop import Loop
from bot.decide.limits import RunLimits
from bot.models.turn import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.adapters.home import Home
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.ports.outbound import Clock

KEYWORD_SECONDS = 30.0
"""Left of an investigation's time for the keyword engine, should the model never answer."""

MAX_OUTPUT = 8_192
"""Tokens of one turn of an agent."""

REPAIRS = 1
"""How often an answer that breaks its form or a cap is sent back; then the run fails with that reason."""


@dataclass(frozen=True, kw_only=True)
class Thinking:
    """The ground of all agents. `start` comes before the first run, `close` after the last."""

    server: Server
    ledger: Ledger
    limits: RunLimits
    """Of one investigation."""
    clock: Clock
    new_id: Callable[[], str]

    def loop(self, model: str, *, max_output: int = MAX_OUTPUT) -> Loop:
        """A loop on this model, such as `claude-opus-5-5`, whose turns have at most so many tokens."""
        asked = ClaudeModel(self.server, model, max_output=max_output)
        return Loop(model=asked, ledger=self.ledger, clock=self.clock, new_id=self.new_id)

    async def start(self) -> None:
        """Count what the day has cost, and close what a crash cut off."""
        self.server.warm_up()
        await asyncio.to_thread(
            self.ledger.price, "", Usage()
        )  # the first price loads the table, half a second of work
        await self.ledger.start()

    async def close(self) -> None:
        """Let go of the connections."""
        await self.server.close()


def thinking(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    tell: Callable[[str], None],
    redact: Callable[[str], str] = str,
) -> Thinking:
    """All of it, from plain settings. `tell` takes a line for the admin and must not wait.

    `redact` takes secrets out of the reasons that the records of runs hold.
    """
    key = environment.anthropic_api_key
    whole = settings.investigator.hard_cap_runtime_min * 60
    return Thinking(
        server=Server(
            key=key.get_secret_value() if key else None,
            base_url=settings.model.base_url or environment.anthropic_base_url,
            max_retries=settings.model.max_retries,
            timeout=settings.model.timeout_s,
        ),
        ledger=Ledger(
            sessions=SessionFiles(home.sessions),
            kept=KeptFile(home.allowance),
            prices=PriceTable(),
            clock=clock,
            usd_per_day=settings.model.max_usd_per_day,
            tell=tell,
            redact=redact,
        ),
        limits=RunLimits(
            usd=settings.model.max_usd_per_run, seconds=max(whole - KEYWORD_SECONDS, whole / 2), corrections=REPAIRS
        ),
        clock=clock,
        new_id=new_id,
    )
