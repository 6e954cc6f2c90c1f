"""Engines: the LLM runtime, investigator and validator, the chat agent's model, MCP servers."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.adapters.claude import ClaudeModel, Server
from bot.adapters.json_file import KeptFile
from bot.adapters.mcp import McpServer
from bot.adapters.prices import PriceTable
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.agents.fallback import FallbackEngine
from bot.agents.investigator import Investigator
from bot.agents.keyword import KeywordEngine
from bot.agents.ledger import Ledger
from bot.agents.loop import Loop
from bot.agents.run_artifacts import Papers
from bot.agents.search_runner import SearchRunner
from bot.agents.validator import Validator
from bot.chat.agent import Mind
from bot.chat.model_key import ModelKey
from bot.chat.toolbox import Toolbox
from bot.decide.limits import RunLimits
from bot.errors import Misconfigured
from bot.models.turn import Usage
from bot.reports.today import spent_before
from bot.tools.guard import Guard
from bot.tools.knowledge import Knowledge
from bot.wiring.infrastructure import new_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.adapters.home import Home
    from bot.agents.indexing import Indexing
    from bot.chat.wording import ChatWording
    from bot.commands.handler import CommandHandler
    from bot.config.environment import Environment
    from bot.config.sections.mcp import McpSection
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.ports.outbound import Clock, Engine, TaskFiles
    from bot.runtime.workers import Workers
    from bot.wiring.infrastructure import Infrastructure

KEYWORD_SECONDS = 30.0
"""Seconds of an investigation that are left for the keyword engine where the model never answers."""
MAX_OUTPUT = 8_192
"""Tokens of one turn of an agent."""
CHAT_OUTPUT = 4_096
"""Tokens of a chat turn: a note is written in a call, so the spec's 1,024 would cut it."""
SUMMARY_OUTPUT = 512
"""Tokens of a summary."""
REPAIRS = 1
"""Times that an answer in a wrong form or over a cap is sent back; then the run fails with that reason."""
VALIDATOR_TURNS = 8
"""Turns of a validator's spot-check."""
VALIDATOR_SHARE = 0.8
"""Share of an investigator's time: a validator ends before the check of the draft does."""


@dataclass(frozen=True, kw_only=True)
class LlmRuntime:
    """Model server, ledger and limits of all agents. `start` comes before the first run, `close` after the last."""

    server: Server
    ledger: Ledger
    limits: RunLimits
    """Limits of one investigation."""
    clock: Clock
    new_id: Callable[[], str]

    def loop(self, model: str, *, max_output: int = MAX_OUTPUT) -> Loop:
        """Build a loop on a model, such as `claude-opus-5-5`, with at most so many tokens a turn."""
        client = ClaudeModel(self.server, model, max_output=max_output)
        return Loop(model=client, ledger=self.ledger, clock=self.clock, new_id=self.new_id)

    async def start(self) -> None:
        """Count today's cost, and close the records that a crash cut off."""
        self.server.warm_up()
        await asyncio.to_thread(self.ledger.price, "", Usage())  # the first price loads the table, for half a second
        await self.ledger.start()

    async def close(self) -> None:
        """Close the connections."""
        await self.server.close()


def build_llm_runtime(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    clock: Clock,
    new_id: Callable[[], str],
    tell: Callable[[str], None],
    redact: Callable[[str], str] = str,
) -> LlmRuntime:
    """Build the runtime. `tell` sends a line to the admin without waiting; `redact` removes secrets from records."""
    key = environment.anthropic_api_key
    whole = settings.investigator.hard_cap_runtime_min * 60
    return LlmRuntime(
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


@dataclass(frozen=True, kw_only=True)
class Engines:
    """The engine that drafts, and the validator. `start` comes before the first draft, `close` after the last."""

    engine: Engine
    validator: Validator | None = None
    runtime: LlmRuntime | None = None
    """`None` where nothing asks a model."""
    servers: tuple[McpServer, ...] = ()

    @property
    def ledger(self) -> Ledger | None:
        """Cost of the agents; `None` where there are none."""
        return self.runtime.ledger if self.runtime else None

    async def spending(self, home: Home, clock: Clock) -> Callable[[], float]:
        """Return a function that gives the US dollars of this day (UTC)."""
        if ledger := self.ledger:
            return lambda: ledger.spent
        return await spent_before(SessionFiles(home.sessions), clock)

    async def start(self) -> None:
        """Count today's cost."""
        if self.runtime:
            await self.runtime.start()

    async def close(self) -> None:
        """Disconnect from the model and the servers."""
        if self.runtime:
            await self.runtime.close()
        for server in self.servers:
            await server.stop()


def build_model_engines(infra: Infrastructure, environment: Environment) -> Engines:
    """Build the engines that the settings name, on this infrastructure."""
    return build_engines(
        infra.settings,
        environment,
        os.environ,
        infra.home,
        clock=infra.clock,
        redactor=infra.redactor,
        knowledge=Knowledge(replies=infra.replies, home=infra.home.path),
        new_id=new_id,
        tell=infra.to_admin.send,
        workers=infra.workers,
        indexing=infra.indexing,
    )


def build_engines(
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
    """Build the engines of the settings. `variables` are the process's, for MCP servers; `tell` sends to the admin.

    `engine: keyword` has no validator, and a runtime only for the chat agent. `engine: claude` is the investigator,
    with the keyword engine in its place whenever the model cannot be asked. Raises `Misconfigured` when a variable of
    a server is missing.
    """
    keyword = KeywordEngine(SearchRunner(workers, indexing).search, home.indexes)
    if settings.engine == "keyword" and settings.chat_model is None:
        return Engines(engine=keyword)
    runtime = build_llm_runtime(
        settings, environment, home, clock=clock, new_id=new_id, tell=tell, redact=redactor.redact
    )
    if settings.engine == "keyword":
        return Engines(engine=keyword, runtime=runtime)
    servers, tasks = build_mcp_servers(settings.mcp, variables), TaskFolders(home.tasks)
    investigator = Investigator(
        loop=runtime.loop(settings.investigator.model),
        limits=runtime.limits,
        guard=Guard(redactor=redactor, new_nonce=new_id),
        scout=keyword,
        knowledge=knowledge,
        servers=servers,
        papers=Papers(tasks=tasks, redactor=redactor),
        indexes=home.indexes,
    )
    return Engines(
        engine=FallbackEngine(first=investigator, second=keyword),
        validator=build_validator(runtime.loop(settings.validator_model), runtime, redactor, tasks),
        runtime=runtime,
        servers=servers,
    )


def build_validator(loop: Loop, runtime: LlmRuntime, redactor: Redactor, tasks: TaskFiles | None = None) -> Validator:
    """Build the validator on this loop."""
    return Validator(
        loop=loop,
        limits=replace(runtime.limits, turns=VALIDATOR_TURNS, seconds=VALIDATOR_SHARE * runtime.limits.seconds),
        guard=Guard(redactor=redactor, new_nonce=runtime.new_id),
        clock=runtime.clock,
        papers=Papers(tasks=tasks, redactor=redactor),
    )


def build_mcp_servers(section: McpSection, environment: Mapping[str, str]) -> tuple[McpServer, ...]:
    """Build the MCP servers of the settings without starting any. Raises `Misconfigured` for a missing variable."""
    servers = []
    for name, server in section.servers.items():
        if missing := [variable for variable in server.variables if not environment.get(variable)]:
            raise Misconfigured(f"mcp.servers.{name}: the environment has no {missing[0]}")
        headers = {header: environment[variable] for header, variable in server.headers.items()}
        if server.bearer:
            headers["Authorization"] = f"Bearer {environment[server.bearer]}"
        servers.append(
            McpServer(
                name,
                tools=server.tools,
                command=server.command,
                url=server.url,
                reads=[path.expanduser() for path in server.reads],
                hosts=server.hosts,
                variables={variable: environment[variable] for variable in server.env},
                headers=headers,
            )
        )
    return tuple(servers)


def build_mind(
    settings: Settings,
    environment: Environment,
    handler: CommandHandler,
    runtime: LlmRuntime | None,
    *,
    redactor: Redactor,
    new_id: Callable[[], str],
    wording: ChatWording,
) -> Mind:
    """Build the chat agent's model and tools; without a runtime it is not ready."""
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
    if runtime is None or settings.chat_model is None:
        return Mind(toolbox=toolbox, limits=limits)
    key = ModelKey(environment, runtime.server, redactor)
    return Mind(
        toolbox=toolbox,
        limits=limits,
        loop=runtime.loop(settings.chat_model, max_output=CHAT_OUTPUT),
        summing=runtime.loop(settings.chat_model, max_output=SUMMARY_OUTPUT),
        can_ask=key.is_usable,
        renew=key.renew,
    )
