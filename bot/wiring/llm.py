"""The engine that the settings name, put together, with the validator that goes with it.

`engine: keyword` stands alone and has no validator; where a chat agent is switched on all the same, the model is there
for that alone. `engine: claude` is the investigator on a model, with the keyword engine in its place whenever the model
cannot be asked.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.agents.fallback import FallbackEngine
from bot.agents.investigator import Investigator
from bot.agents.keyword import KeywordEngine
from bot.agents.project_search import search_project
from bot.agents.run_artifacts import Papers
from bot.agents.validator import Validator
from bot.reports.today import spent_before
from bot.tools.guard import Guard
from bot.wiring.llm_runtime import Thinking, thinking
from bot.wiring.mcp_servers import mcp_servers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bot.adapters.home import Home
    from bot.adapters.mcp import McpServer
    from bot.agents.indexing import Indexing
    from bot.agents.ledger import Ledger
    from bot.agents.loop import Loop
    from bot.agents.project_search import ProjectMatches, ProjectRequest
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.ports.outbound import Clock, Engine, TaskFiles
    from bot.runtime.workers import Workers
    from bot.tools.knowledge import Knowledge

_PATIENCE = 2.0
VALIDATOR_TURNS = 8
"""Turns that a validator has for its spot-check."""
VALIDATOR_SHARE = 0.8
"""Of an investigator's time: its end must come before the checking of the draft is ended as a whole."""


@dataclass(frozen=True, kw_only=True)
class Engines:
    """Who drafts, and who tries to break the draft. `start` comes before the first draft, `close` after the last."""

    engine: Engine
    validator: Validator | None = None
    ground: Thinking | None = None
    servers: tuple[McpServer, ...] = ()

    @property
    def ledger(self) -> Ledger | None:
        """Who counts what the agents cost; `None` where there are none."""
        return self.ground.ledger if self.ground else None

    async def spending(self, home: Home, clock: Clock) -> Callable[[], float]:
        """US dollars of this day (UTC), counted in memory from now on."""
        if ledger := self.ledger:
            return lambda: ledger.spent
        return await spent_before(SessionFiles(home.sessions), clock)

    async def start(self) -> None:
        """Count what the day has cost."""
        if self.ground:
            await self.ground.start()

    async def close(self) -> None:
        """Let go of the model and of the servers."""
        if self.ground:
            await self.ground.close()
        for server in self.servers:
            await server.stop()


def engines(
    settings: Settings,
    environment: Environment,
    variables: Mapping[str, str],
    home: Home,
    *,
    clock: Clock,
    redactor: Redactor,
    knowledge: Knowledge,
    new_id: Callable[[], str],
    tell: Callable[[str], None],
    workers: Workers | None = None,
    indexing: Indexing | None = None,
) -> Engines:
    """From plain settings. `variables` are the process's, for MCP servers; `tell` takes a line for the admin.

    Raises `Misconfigured` when a server's variable is missing.
    """
    keyword = keyword_engine(workers, home.indexes, indexing)
    if settings.engine == "keyword" and settings.chat_model is None:
        return Engines(engine=keyword)
    ground = thinking(settings, environment, home, clock=clock, new_id=new_id, tell=tell, redact=redactor.redact)
    if settings.engine == "keyword":
        return Engines(engine=keyword, ground=ground)
    servers = mcp_servers(settings.mcp, variables)
    guard = Guard(redactor=redactor, new_nonce=new_id)
    investigator = Investigator(
        loop=ground.loop(settings.investigator.model),
        limits=ground.limits,
        guard=guard,
        scout=keyword,
        knowledge=knowledge,
        servers=servers,
        papers=Papers(tasks=TaskFolders(home.tasks), redactor=redactor),
        indexes=home.indexes,
    )
    return Engines(
        engine=FallbackEngine(first=investigator, second=keyword),
        validator=validator(ground.loop(settings.validator_model), ground, redactor, TaskFolders(home.tasks)),
        ground=ground,
        servers=servers,
    )


def keyword_engine(workers: Workers | None, indexes: Path, indexing: Indexing | None = None) -> KeywordEngine:
    """The keyword engine on these processes, with its indexes there; in threads of this one without processes.

    With `indexing` no question makes an index, or waits for one; without it, for two seconds.
    """

    async def search(request: ProjectRequest) -> ProjectMatches:
        request = replace(request, patience=0.0 if indexing else _PATIENCE)
        if workers is None:
            return await asyncio.to_thread(search_project, request)
        outcome = await workers.run(search_project, request, key=str(request.project.root))
        if outcome.old and indexing:
            indexing.ask(request.project)
        return outcome

    return KeywordEngine(search, indexes)


def validator(loop: Loop, ground: Thinking, redactor: Redactor, tasks: TaskFiles | None = None) -> Validator:
    """The validator alone, on this loop."""
    return Validator(
        loop=loop,
        limits=replace(ground.limits, turns=VALIDATOR_TURNS, seconds=VALIDATOR_SHARE * ground.limits.seconds),
        guard=Guard(redactor=redactor, new_nonce=ground.new_id),
        clock=ground.clock,
        papers=Papers(tasks=tasks, redactor=redactor),
    )
