"""The composition root: builds each object of a bot after those that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.adapters.control_socket import ControlSocket
from bot.adapters.listeners import Handlers
from bot.agents.engines import Engines
from bot.decide.redaction.redactor import Redactor
from bot.triage.evidence_recheck import EvidenceRecheck
from bot.triage.freshness import Freshness
from bot.triage.ground_truth import GroundTruth
from bot.triage.health_reports import HealthReports
from bot.wiring.chat import build_addressee, build_chat
from bot.wiring.commands import build_commands
from bot.wiring.dispatcher import build_dispatcher
from bot.wiring.engines import build_engines
from bot.wiring.infrastructure import build_infrastructure, new_id
from bot.wiring.intake import build_intake
from bot.wiring.lifecycle import Bot, build_jobs
from bot.wiring.surfaces import build_cards, build_surfaces, build_terminal
from bot.wiring.triage import build_effects, build_hints, build_orchestrator

if TYPE_CHECKING:
    from bot.adapters.home import Home
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.ports.outbound import Clock, Engine
    from bot.runtime.workers import Workers
    from bot.triage.hints import Hints
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake


async def build(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    clock: Clock | None = None,
    engine: Engine | None = None,
    http_port: int | None = None,
    redactor: Redactor | None = None,
    workers: Workers | None = None,
) -> Bot:
    """Build a bot. Asks Slack who it is; raises `Misconfigured` when Slack does not know the token.

    With `http_port` Slack comes in over HTTP, else over Socket Mode. `redactor` knows the loaded secrets.
    `workers` are search processes; without them threads search.
    """
    infra = await build_infrastructure(
        settings,
        environment,
        home,
        clock=clock or SystemClock(),
        redactor=redactor or Redactor(environment.secrets),
        http_port=http_port,
        workers=workers,
    )
    await infra.operators.begin(needed=2 if settings.approval.second_approver else 1)
    engines = Engines(engine=engine) if engine else _build_engines(infra, environment)
    return await _build(infra, environment, engines)


def _build_engines(infra: Infrastructure, environment: Environment) -> Engines:
    return build_engines(
        infra.settings,
        environment,
        infra.home,
        clock=infra.clock,
        redactor=infra.redactor,
        replies=infra.replies,
        tell=infra.to_admin.send,
        workers=infra.workers,
        indexing=infra.indexing,
    )


async def _build(infra: Infrastructure, environment: Environment, engines: Engines) -> Bot:
    orchestrator = build_orchestrator(infra)
    intake = await build_intake(infra, orchestrator)
    cards = build_cards(infra, orchestrator, intake)
    commands = await build_commands(infra, orchestrator, intake, engines, cards.queue)
    conversations = build_chat(infra, environment, engines.runtime, commands, intake.watcher)
    surfaces = build_surfaces(infra, orchestrator, intake, cards, commands)
    evidence = EvidenceRecheck(projects=infra.projects, redactor=infra.redactor)
    hints = build_hints(infra, orchestrator)
    effects = build_effects(infra, engines, orchestrator, intake, surfaces, evidence=evidence, hints=hints)
    orchestrator.attach(effects=effects, renderer=surfaces.views)
    freshness = _build_freshness(infra, intake, evidence, hints)
    intake.watcher.attach(commands=commands, doors=build_addressee(infra, conversations, intake, orchestrator))
    dispatcher = build_dispatcher(infra, orchestrator, freshness, intake, surfaces, commands, conversations)
    handlers = Handlers(
        payloads=dispatcher,
        connected=intake.catch_ups.reconnected,
        acks=infra.acks,
        app_token_refused=intake.access.app_token_refused,
    )
    return Bot(
        infra=infra,
        engines=engines,
        orchestrator=orchestrator,
        intake=intake,
        dispatcher=dispatcher,
        conversations=conversations,
        surfaces=surfaces,
        delivery=effects.delivery,
        handlers=handlers,
        control=ControlSocket(infra.home.control, build_terminal(infra, commands).answer),
        health=HealthReports(
            save=infra.home.write_health,
            clock=infra.clock,
            connected=infra.listeners.connected,
            searches=infra.search_state,
            losses=intake.losses,
        ),
        jobs=build_jobs(infra, orchestrator, intake, commands.confirmations),
    )


def _build_freshness(
    infra: Infrastructure, intake: Intake, evidence: EvidenceRecheck, hints: Hints | None
) -> Freshness:
    return Freshness(
        projects=infra.projects,
        evidence=evidence,
        catch_up=intake.catch_up,
        ground_truth=GroundTruth(history=infra.chat, bot_user_id=infra.identity.user_id, clock=infra.clock),
        clock=infra.clock,
        new_id=new_id,
        externals=infra.externals,
        hints=hints,
    )
