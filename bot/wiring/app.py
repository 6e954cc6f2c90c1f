"""The composition root: builds each object of a bot after those that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.adapters.control_socket import ControlSocket
from bot.adapters.listeners import Handlers
from bot.agents.engines import Engines
from bot.decide.redaction.redactor import Redactor
from bot.runtime.restart_request import RestartRequest
from bot.triage.effect_counts import CountedEffects
from bot.triage.health_reports import HealthReports
from bot.wiring.approval import build_sample_jobs, build_samples
from bot.wiring.auto_replies import build_auto_replies
from bot.wiring.chat import build_addressee, build_chat
from bot.wiring.commands import build_commands
from bot.wiring.core import build_core
from bot.wiring.dispatcher import build_dispatcher
from bot.wiring.effects import build_effects
from bot.wiring.engines import build_engines
from bot.wiring.escalation import build_supervisor
from bot.wiring.file_storage import FileStorage
from bot.wiring.fix_drafter import build_fix_drafter, build_fix_jobs
from bot.wiring.fixes import build_fixes
from bot.wiring.forges import build_forges
from bot.wiring.health import build_health_jobs, build_runbooks, build_services
from bot.wiring.hooks import build_hooks
from bot.wiring.infrastructure import build_infrastructure
from bot.wiring.lifecycle import Bot, build_jobs
from bot.wiring.projects import build_project_work
from bot.wiring.restart import build_restart_report
from bot.wiring.shared_runs import share_runs
from bot.wiring.surfaces import build_cards, build_surfaces, build_terminal
from bot.wiring.tasks import build_tasks

if TYPE_CHECKING:
    from bot.adapters.home import Home
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.models.address import ListenAddress
    from bot.ports.deliveries import DatabaseLease
    from bot.ports.fixes import FixDrafter
    from bot.ports.forge import Forge
    from bot.ports.outbound import Clock, Engine
    from bot.ports.storage import Storage
    from bot.runtime.workers import Workers
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.replica import Leading


async def build(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    clock: Clock | None = None,
    engine: Engine | None = None,
    http: ListenAddress | None = None,
    redactor: Redactor | None = None,
    workers: Workers | None = None,
    restart: RestartRequest | None = None,
    drafter: FixDrafter | None = None,
    forge: Forge | None = None,
    storage: Storage | None = None,
    leading: Leading | None = None,
) -> Bot:
    """Build a bot. Asks Slack who it is; raises `Misconfigured` when Slack does not know the token.

    With `http` Slack comes in over HTTP, else over Socket Mode. `redactor` knows the loaded secrets.
    `workers` are search processes; without them threads search. Without `restart` no command restarts the process,
    without `storage` the state is in the files of the home. With `leading` it leads the replicas of a database.
    """
    infra = await build_infrastructure(
        settings,
        environment,
        home,
        storage or FileStorage(home.path, settings.escalation.transcript_dir),
        clock=clock or SystemClock(),
        redactor=redactor or Redactor(environment.secrets),
        http=http,
        workers=workers,
        leading=leading,
    )
    restart, lease = restart or RestartRequest(), leading.lease if leading else None
    await infra.operators.begin(needed=2 if settings.approval.second_approver else 1)
    if engine:
        return await _build(infra, environment, Engines(engine=engine), restart, drafter, forge, lease)
    engines = build_engines(
        settings,
        environment,
        home,
        infra.storage,
        clock=infra.clock,
        redactor=infra.redactor,
        replies=infra.replies,
        tell=infra.to_admin.send,
        workers=workers,
        indexing=infra.indexing,
    )
    if leading:
        engines = share_runs(engines, infra, leading.jobs)
    return await _build(infra, environment, engines, restart, drafter, forge, lease)


async def _build(
    infra: Infrastructure,
    environment: Environment,
    engines: Engines,
    restart: RestartRequest,
    drafter: FixDrafter | None,
    forge: Forge | None,
    lease: DatabaseLease | None,
) -> Bot:
    core = await build_core(infra)
    project_work = await build_project_work(core)
    forge = forge or build_forges(core.settings)
    headless = None if drafter else build_fix_drafter(core, engines, environment, project_work, forge)
    drafter = drafter or headless
    fixes = build_fixes(core, project_work, drafter, forge)
    cards = build_cards(core, drafter)
    services = await build_services(core)
    tasks = build_tasks(core, engines)
    hooks = build_hooks(core, services)
    commands = await build_commands(core, engines, cards.queue, services, tasks, hooks, project_work, restart)
    conversations = build_chat(core, environment, engines.runtime, commands)
    core.watcher.attach(commands=commands, router=build_addressee(core, conversations))
    surfaces = build_surfaces(core, cards, commands, services, tasks)
    services.on_change = surfaces.homes.note_change
    supervisor = build_supervisor(core, engines, environment)
    runbooks = build_runbooks(core, services)
    effects = build_effects(core, engines, surfaces, supervisor, services, runbooks, fixes)
    counted = CountedEffects(effects)
    core.orchestrator.attach(effects=counted, renderer=surfaces.views)
    samples, auto_replies = build_samples(core), build_auto_replies(core)
    dispatcher = build_dispatcher(
        core, surfaces, commands, conversations, samples, auto_replies.presses, runbooks, drafter, hooks.events
    )
    handlers = Handlers(
        payloads=dispatcher,
        catch_ups=core.catch_ups,
        acks=core.acks,
        draining=core.draining,
        access=core.access,
        tasks=core.orchestrator.open_threads.tasks,
    )
    health = HealthReports(
        home=core.home, connection=core.listeners, searches=core.search_state, losses=core.losses, lease=lease
    )
    return Bot(
        core=core,
        engines=engines,
        dispatcher=dispatcher,
        conversations=conversations,
        surfaces=surfaces,
        supervisor=supervisor,
        fixes=headless,
        effects=counted,
        delivery=effects.delivery,
        handlers=handlers,
        control=ControlSocket(core.home.control, build_terminal(core, commands)),
        health=health,
        services=services,
        tasks=tasks,
        hooks=hooks,
        auto_replies=auto_replies.follower,
        project_work=project_work,
        commands=commands,
        restart=build_restart_report(core, commands),
        jobs=(
            *build_jobs(core, commands.confirmations, services),
            *build_health_jobs(core, services, runbooks),
            *auto_replies.jobs,
            *build_sample_jobs(core, samples),
            *build_fix_jobs(headless),
        ),
    )
