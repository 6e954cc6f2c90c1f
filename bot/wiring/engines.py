"""Engines: keyword engine, investigator and validator, MCP servers, and the chat agent's model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.adapters.claude import Server
from bot.adapters.mcp import McpServer
from bot.adapters.prices import PriceTable
from bot.agents.engines import Engines
from bot.agents.fallback import FallbackEngine
from bot.agents.investigator import Investigator
from bot.agents.key_notice import KeyNotice
from bot.agents.keyword import KeywordEngine
from bot.agents.ledger import Ledger
from bot.agents.llm_runtime import LlmRuntime
from bot.agents.run_artifacts import RunArtifacts
from bot.agents.search_runner import SearchRunner
from bot.agents.validator import Validator
from bot.chat.agent import ChatAgentFactory
from bot.chat.model_key import ModelKey
from bot.chat.toolbox import Toolbox
from bot.config.limits import chat_limits, escalation_policy, investigation_limits, validator_limits
from bot.config.model_parameters import (
    chat_parameters,
    investigator_parameters,
    summary_parameters,
    validator_parameters,
)
from bot.tools.guard import Guard
from bot.tools.knowledge import Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.adapters.home import Home
    from bot.agents.indexing import Indexing
    from bot.agents.loop import Loop
    from bot.chat.wording import ChatWording
    from bot.commands.handler import CommandHandler
    from bot.config.environment import Environment
    from bot.config.sections.mcp import McpSection
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.ports.outbound import Clock, Journal, TaskFiles
    from bot.ports.storage import Storage
    from bot.runtime.workers import Workers


def build_ledger(
    settings: Settings,
    storage: Storage,
    *,
    clock: Clock,
    tell: Callable[[str], None],
    redact: Callable[[str], str] = str,
) -> Ledger:
    """Build the account of the agents' cost; the parameters are those of `build_llm_runtime`."""
    return Ledger(
        sessions=storage.sessions(),
        allowance_file=storage.json_file("allowance"),
        prices=PriceTable(),
        clock=clock,
        usd_per_day=settings.model.max_usd_per_day,
        tell=tell,
        redact=redact,
    )


def build_llm_runtime(
    settings: Settings,
    environment: Environment,
    storage: Storage,
    *,
    clock: Clock,
    tell: Callable[[str], None],
    redact: Callable[[str], str] = str,
) -> LlmRuntime:
    """Build the runtime. `tell` sends a line to the admin without waiting; `redact` removes secrets from records."""
    key, section = environment.anthropic_api_key, settings.model
    server = Server(
        key=key.get_secret_value() if key else None,
        base_url=section.base_url or environment.anthropic_base_url,
        timeout=section.timeout_s,
    )
    return LlmRuntime(
        server=server,
        ledger=build_ledger(settings, storage, clock=clock, tell=tell, redact=redact),
        limits=investigation_limits(settings),
        clock=clock,
        key_notice=KeyNotice(tell=tell),
    )


def build_engines(
    settings: Settings,
    environment: Environment,
    home: Home,
    storage: Storage,
    *,
    clock: Clock,
    redactor: Redactor,
    replies: Journal,
    tell: Callable[[str], None],
    workers: Workers | None = None,
    indexing: Indexing | None = None,
) -> Engines:
    """Build the engines of the settings. `replies` is the journal of earlier replies; `tell` sends to the admin.

    `engine: keyword` has no validator, and a runtime only for the chat agent. `engine: claude` is the investigator,
    with the keyword engine in its place whenever the model cannot be asked. Raises `Misconfigured` when the process has
    no variable that a server needs.
    """
    keyword = KeywordEngine(SearchRunner(workers, indexing).search, home.indexes, redactor)
    if settings.engine == "keyword" and settings.chat_model is None and not escalation_policy(settings).may_start:
        return Engines(engine=keyword)
    redact = redactor.redact
    runtime = build_llm_runtime(settings, environment, storage, clock=clock, tell=tell, redact=redact)
    if settings.engine == "keyword":
        return Engines(engine=keyword, runtime=runtime)
    servers, tasks = build_mcp_servers(settings.mcp, os.environ), storage.task_files
    investigator = Investigator(
        loop=runtime.loop(settings.investigator.model, investigator_parameters(settings)),
        limits=runtime.limits,
        guard=Guard(redactor=redactor, new_nonce=clock.new_id),
        scout=keyword,
        knowledge=Knowledge(replies=replies, home=home.path),
        servers=servers,
        artifacts=RunArtifacts(tasks=tasks, redactor=redactor),
        indexes=home.indexes,
        is_small=settings.model.small,
    )
    return Engines(
        engine=FallbackEngine(first=investigator, second=keyword),
        validator=build_validator(
            runtime.loop(settings.validator_model, validator_parameters(settings)), runtime, redactor, tasks
        ),
        runtime=runtime,
        servers=servers,
    )


def build_validator(loop: Loop, runtime: LlmRuntime, redactor: Redactor, tasks: TaskFiles | None = None) -> Validator:
    """Build the validator on this loop."""
    return Validator(
        loop=loop,
        limits=validator_limits(runtime.limits),
        guard=Guard(redactor=redactor, new_nonce=runtime.clock.new_id),
        clock=runtime.clock,
        artifacts=RunArtifacts(tasks=tasks, redactor=redactor),
    )


def build_mcp_servers(section: McpSection, environment: Mapping[str, str]) -> tuple[McpServer, ...]:
    """Build the MCP servers of the settings without starting any. Raises `Misconfigured` for a missing variable."""
    return tuple(McpServer(name, **server.resolve(name, environment)) for name, server in section.servers.items())


def build_mind(
    settings: Settings,
    environment: Environment,
    handler: CommandHandler,
    runtime: LlmRuntime | None,
    wording: ChatWording,
) -> ChatAgentFactory:
    """Build the chat agent's model and tools; without a runtime it is not ready."""
    toolbox = Toolbox(
        execute=handler.execute,
        note_rejected=handler.record_rejected,
        permission=handler.permission,
        guard=Guard(redactor=handler.redactor, new_nonce=handler.clock.new_id),
        catalogue=handler.catalogue,
        wording=wording,
    )
    limits = chat_limits(settings)
    if runtime is None or settings.chat_model is None:
        return ChatAgentFactory(toolbox=toolbox, limits=limits)
    return ChatAgentFactory(
        toolbox=toolbox,
        limits=limits,
        loop=runtime.loop(settings.chat_model, chat_parameters(settings, settings.chat_model)),
        summary_loop=runtime.loop(settings.chat_model, summary_parameters(settings.chat_model)),
        key=ModelKey(environment, runtime.server, handler.redactor),
        is_small=settings.model.small,
    )
