"""The whole bot, put together: the only place that knows every class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.adapters.documents import Documents
from bot.adapters.json_file import KeptFile
from bot.adapters.weights_file import read_weights
from bot.config.classifier_rules import rules
from bot.decide.redaction.redactor import Redactor
from bot.intake.alerts import Alerts
from bot.intake.catch_up import CatchUp, CatchUps
from bot.intake.watched import WatchedChannels
from bot.intake.watcher import Watcher
from bot.triage.controls import Controls
from bot.triage.delivery import Delivery
from bot.triage.freshness import Freshness
from bot.triage.ground_truth import GroundTruth
from bot.triage.orchestrator import Orchestrator
from bot.triage.rate_limit import Floodgate
from bot.wiring.approval import desk
from bot.wiring.chat import conversations, doors
from bot.wiring.commands import BotState, command_desk, hush, new_id
from bot.wiring.effects import effects_of
from bot.wiring.infrastructure import Infrastructure, stand_on
from bot.wiring.lifecycle import Bot
from bot.wiring.listeners import build_dispatcher, listeners
from bot.wiring.llm import Engines
from bot.wiring.policies import externals_of, operators_of, rebuilder_of
from bot.wiring.surfaces import Surfaces, queue_of, show_home, surfaces
from bot.wiring.threads import again, hints_of, model_engines
from bot.wiring.upkeep import access_of, catch_up_of, periodic_of, team_of
from bot.wiring.workflow import limits, named_threads, windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.adapters.home import Home
    from bot.chat.conversations import ChatConversations
    from bot.chat.mute_requests import Hush
    from bot.commands.entry import CommandDesk
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.ports.outbound import Clock, Engine
    from bot.runtime.workers import Workers
    from bot.triage.externals import Externals
    from bot.triage.operators import Operators
    from bot.wiring.approval import PressHandlers


@dataclass(frozen=True, kw_only=True)
class _Doers:
    """What handles threads."""

    controls: Controls
    orchestrator: Orchestrator
    shown: Surfaces
    delivery: Delivery
    freshness: Freshness
    operators: Operators
    externals: Externals


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
    """Put a bot together. Asks Slack who it is; raises `Misconfigured` when Slack does not know the token.

    With `http_port` Slack comes in over HTTP, else over Socket Mode. `redactor` knows the loaded secrets.
    `workers` are processes that search; without them threads do.
    """
    redactor = redactor or Redactor(environment.secrets)
    ground = await stand_on(
        settings,
        environment,
        home,
        clock=clock or SystemClock(),
        redactor=redactor,
        http=http_port is not None,
        workers=workers,
    )
    thinkers = Engines(engine=engine) if engine else model_engines(ground, environment, new_id)
    doers = _doers(ground, thinkers, catch_up=lambda: catch_up)
    reach = BotState(
        queue=queue_of(ground, doers.shown, doers.orchestrator),
        engine=thinkers.engine.name,
        connected=lambda: bot.listeners.connected(),
        spent=await thinkers.spending(home, ground.clock),
        mode_changed=lambda: bot.periodic.keep_cursors(),
        ledger=thinkers.ledger,
        problems=lambda: doers.shown.problems(),
    )
    commands = command_desk(ground, doers.orchestrator, doers.controls, doers.operators, reach)
    talks = conversations(
        ground, environment, thinkers.ground, commands, doers.controls, doers.operators, lambda m: watcher.ask(m)
    )
    mutes = hush(ground, doers.orchestrator, doers.controls, doers.operators)
    watcher = _watcher(ground, doers, commands, talks, mutes)
    presses = _press_handlers(ground, doers, reach, commands, watcher)
    doers.delivery.on_posted = watcher.replied
    await doers.operators.begin(needed=2 if settings.approval.second_approver else 1)
    team = await team_of(ground, watcher)
    catch_up = catch_up_of(ground, doers.orchestrator, watcher, doers.externals)
    catch_ups = CatchUps(
        read=catch_up.run,
        save=lambda: bot.periodic.keep_cursors(),
        cursors=watcher.cursors,
        clock=ground.clock,
    )
    access = access_of(ground, doers.orchestrator, doers.operators, doers.shown, catch_ups)
    dispatcher = build_dispatcher(
        ground, watcher, presses, mutes, commands, doers.shown, doers.operators, access, talks
    )
    bot = Bot(
        home=home,
        clock=ground.clock,
        new_id=new_id,
        identity=ground.identity,
        controls=doers.controls,
        orchestrator=doers.orchestrator,
        shown=doers.shown,
        delivery=doers.delivery,
        watcher=watcher,
        conversations=talks,
        dispatcher=dispatcher,
        listeners=listeners(ground, dispatcher, access, http_port, lambda: bot.connected()),
        journals=ground.journals,
        access=access,
        catch_ups=catch_ups,
        periodic=periodic_of(ground, doers.orchestrator, doers.operators, commands, watcher, team),
        projects=ground.projects,
        broken=ground.broken,
        engines=thinkers,
        workers=workers,
        indexing=ground.indexing,
        is_quiet=lambda: ground.acks.are_rare,
        searches=lambda: ground.searches,
        tell_admin=ground.to_admin.send,
    )
    return bot


def _doers(ground: Infrastructure, thinkers: Engines, *, catch_up: Callable[[], CatchUp]) -> _Doers:
    settings, chat, clock, redactor = ground.settings, ground.chat, ground.clock, ground.redactor
    store = Documents(ground.home.state, on_broken=ground.stop_for)
    operators = operators_of(ground)
    externals = externals_of(ground, operators)
    hint = hints_of(ground, store, lambda: orchestrator.open_threads.ids())
    controls = Controls(
        kept=KeptFile(ground.home.controls),
        kept_mutes=KeptFile(ground.home.muted),
        modes={watched.chat_id: watched.mode for watched in settings.watched_chats},
    )
    delivery = Delivery(
        chat=chat,
        replies=ground.replies,
        clock=clock,
        new_id=new_id,
        redactor=redactor,
        feedback=settings.slack.feedback,
    )
    freshness = Freshness(
        projects=ground.projects.all,
        read_thread=lambda thread: catch_up().thread(thread),
        truth=GroundTruth(history=chat, bot_user_id=ground.identity.user_id, clock=clock),
        settle=lambda thread_id, what: orchestrator.submit(thread_id, what),
        clock=clock,
        new_id=new_id,
        redactor=redactor,
        hints=hint,
        externals=externals,
    )
    shown = surfaces(ground, store, operators, new_id=new_id, orchestrator=lambda: orchestrator)
    before = again(ground, store, lambda: orchestrator.open_threads.ids())
    effects = effects_of(
        ground,
        thinkers,
        delivery=delivery,
        freshness=freshness,
        hints=hint,
        shown=shown,
        before=before,
        read_in_passing=lambda thread: catch_up().thread(thread, in_passing=True),
    )
    orchestrator = Orchestrator(
        store=store,
        limits=limits(ground),
        rebuilder=rebuilder_of(ground, controls, operators),
        notices=ground.to_operator,
        floodgate=Floodgate(settings.floods.quotas),
        controls=controls,
        projects=ground.projects,
        operators=operators,
        acks=ground.acks,
    )
    orchestrator.attach(effects=effects, renderer=shown)
    return _Doers(
        controls=controls,
        orchestrator=orchestrator,
        shown=shown,
        delivery=delivery,
        freshness=freshness,
        operators=operators,
        externals=externals,
    )


def _press_handlers(
    ground: Infrastructure, doers: _Doers, reach: BotState, commands: CommandDesk, watcher: Watcher
) -> PressHandlers:
    showing = show_home(
        ground,
        doers.shown,
        doers.orchestrator,
        controls=doers.controls,
        commands=commands,
        operators=doers.operators,
        connected=reach.connected,
    )
    return desk(
        ground,
        doers.orchestrator,
        doers.controls,
        doers.freshness,
        doers.operators,
        showing=showing,
        shown=doers.shown,
        team=lambda: watcher.classifier.team_members,
    )


def _watcher(
    ground: Infrastructure, doers: _Doers, commands: CommandDesk, talks: ChatConversations, mutes: Hush
) -> Watcher:
    seats = windows(ground.settings)
    own = doors(ground, talks, lambda: watcher.classifier, doers.orchestrator, mutes, doers.operators)
    watcher = Watcher(
        events=ground.events,
        classified=ground.classified,
        replies=ground.replies,
        windows=seats,
        classifier=rules(ground.settings, bot_id=ground.identity.user_id, table=read_weights(ground.home.path)),
        alerts=Alerts(timedelta(minutes=ground.settings.classifier.alert_pause_min)),
        threads=named_threads(ground, doers.orchestrator),
        commands=commands,
        mutes=mutes,
        doors=replace(own, question_before=seats.question_before, externals=doers.externals),
        clock=ground.clock,
        new_id=new_id,
        watched=WatchedChannels(ground.channel_names, doers.controls.modes),
        operator=doers.operators.first,
        team_id=ground.identity.team_id,
        externals=doers.externals,
    )
    return watcher
