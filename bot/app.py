"""The whole bot, put together: the only place that knows every class. Called by `triage run` and by tests."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.redact import Redactor
from bot.decide.workflow import Limits
from bot.edges.clock import SystemClock
from bot.edges.documents import Documents
from bot.edges.home import Health, Home
from bot.edges.journal import NdjsonJournal
from bot.edges.listeners import Handlers, HttpListeners, Listeners, SocketListeners
from bot.edges.pace import Pacer
from bot.edges.slack import Identity, SlackChat, web_client
from bot.edges.weights_file import read_weights
from bot.errors import TriageError
from bot.intake.alerts import Alerts
from bot.intake.catch_up import CatchUp, CatchUps
from bot.intake.team import Team
from bot.intake.watcher import Watched, Watcher
from bot.periodic import Periodic
from bot.readiness import accepted, operator_is_known, tokens
from bot.rules import rules
from bot.tools.knowledge import Knowledge
from bot.triage.approval import Approval
from bot.triage.cards import Cards
from bot.triage.delivery import Delivery
from bot.triage.effects import Effects
from bot.triage.first_look import FirstLook
from bot.triage.floodgate import Floodgate
from bot.triage.freshness import Freshness
from bot.triage.notices import Notices
from bot.triage.orchestrator import Orchestrator
from bot.triage.rebuild import Rebuilder
from bot.triage.sweeper import sweep

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from bot.environment import Environment
    from bot.ports import Clock, Engine
    from bot.settings import Settings

log = logging.getLogger(__name__)

SEATS = 8
"""Investigations that search at once."""

UNHURRIED = 0.05
"""Seconds that judgements wait for each other in busy times, so that many share a sync; no ack waits for them."""

HEALTH_EVERY = 10.0
"""Seconds between two words of health."""


def new_id() -> str:
    """An id that nobody has used."""
    return secrets.token_hex(8)


@dataclass(kw_only=True)
class Bot:
    """A bot that is built but not started. It owns its home from `start` to `stop`."""

    home: Home
    clock: Clock
    identity: Identity
    orchestrator: Orchestrator
    cards: Cards
    delivery: Delivery
    watcher: Watcher
    listeners: Listeners
    journals: tuple[NdjsonJournal, ...]
    catch_ups: CatchUps
    periodic: Periodic
    broken: asyncio.Future[TriageError]
    """Done when the bot must stop, since the disk can no longer be trusted."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> int:
        """Go on where the documents say, act on what a crash left undone, then take in what Slack sends.

        The answer is how many threads are open.
        """
        open_threads = await self.orchestrator.start()
        recovered = await self.watcher.recover()
        await self.periodic.begin()
        log.info("%d threads are open, %d happenings were recovered", open_threads, recovered)
        self._spawn(self.watcher.recall(), "recall")
        self._spawn(sweep(self.orchestrator, self.clock, new_id), "sweeper")
        await self.listeners.connect()
        self._spawn(self._say_health(), "health")
        self._spawn(self.periodic.run(), "schedule")
        return open_threads

    def connected(self) -> None:
        """A socket was opened: read what was said since the last message that came in."""
        if self.catch_ups.missed(self.watcher.read_to):
            self._spawn(self.catch_ups.run(), "catch-up")

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A task that was to run for ever and broke must not be missed in silence: the bot stops, and starts anew."""
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()):
            log.error("%s broke", task.get_name(), exc_info=problem)
            if not self.broken.done():
                self.broken.set_result(TriageError(f"{task.get_name()} broke: {problem}"))

    async def stop(self) -> None:
        """Take nothing more in, end what runs, flush; the documents say how to go on."""
        await self.listeners.close()
        running = [*self._tasks]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.periodic.end()
        await self.cards.stop()
        await self.orchestrator.stop()
        for journal in self.journals:
            await journal.close()

    async def _say_health(self) -> None:
        while True:
            connected = await self.listeners.connected()
            health = Health(at=self.clock.now(), pid=os.getpid(), connected=connected)
            try:
                await asyncio.to_thread(self.home.say_health, health)
            except OSError as problem:
                log.warning("no word of health could be left: %s", problem.strerror)
            await self.clock.sleep(HEALTH_EVERY)


async def build(
    settings: Settings,
    environment: Environment,
    home: Home,
    *,
    clock: Clock | None = None,
    engine: Engine | None = None,
    http_port: int | None = None,
    redactor: Redactor | None = None,
) -> Bot:
    """Put a bot together. Asks Slack who it is; raises `Misconfigured` when Slack does not know the token.

    With `http_port` Slack comes in over HTTP, else over Socket Mode. `redactor` knows the loaded secrets.
    """
    clock = clock or SystemClock()
    redactor = redactor or Redactor(environment.secrets)
    bot_token, way_in = tokens(environment, http=http_port is not None)
    client = web_client(bot_token, environment.slack_api_url)
    chat = SlackChat(client, Pacer(clock, scale=settings.slack.pace), redactor.value)
    identity = await accepted(chat.identity, "SLACK_BOT_TOKEN", clock)
    await operator_is_known(chat, settings.operators[0], clock)
    broken: asyncio.Future[TriageError] = asyncio.get_running_loop().create_future()

    def stop_for(problem: TriageError) -> None:
        def tell() -> None:
            if not broken.done():
                broken.set_result(problem)

        broken.get_loop().call_soon_threadsafe(tell)

    events = NdjsonJournal(home.events, on_broken=stop_for)
    classified = NdjsonJournal(home.classified, on_broken=stop_for, may_refuse=False, gathering=UNHURRIED)
    replies = NdjsonJournal(home.replies, on_broken=stop_for, may_refuse=False)
    audit = NdjsonJournal(home.audit, on_broken=stop_for, may_refuse=False)
    delivery = Delivery(chat=chat, replies=replies, clock=clock, new_id=new_id, redactor=redactor)
    freshness = Freshness(
        projects=settings.project_list,
        read_thread=lambda thread: catch_up.thread(thread),
        settle=lambda thread_id, what: orchestrator.submit(thread_id, what),
        clock=clock,
        new_id=new_id,
        redactor=redactor,
    )
    effects = Effects(
        engine=engine or make_engine(settings),
        projects=settings.project_list,
        delivery=delivery,
        freshness=freshness,
        chat=chat,
        clock=clock,
        new_id=new_id,
        deadline=settings.investigator.hard_cap_runtime_min * 60,
        seats=asyncio.Semaphore(SEATS),
        redactor=redactor,
        first_look=FirstLook(
            knowledge=Knowledge(replies=replies, home=home.path), projects=settings.project_list, redactor=redactor
        ),
    )
    cards = Cards(
        chat=chat,
        clock=clock,
        new_id=new_id,
        tell=lambda thread_id, what: orchestrator.tell(thread_id, what),
        redactor=redactor,
    )
    limits, operator = _limits(settings), settings.operators[0]
    rebuilder = Rebuilder(
        classified=classified,
        replies=replies,
        limits=limits,
        new_id=new_id,
        modes={watched.chat_id: watched.mode for watched in settings.watched_chats},
        operator=operator,
    )
    orchestrator = Orchestrator(
        store=Documents(home.state, on_broken=stop_for),
        limits=limits,
        run_effect=effects.run,
        redraw=cards.redraw,
        rebuild=rebuilder.rebuild,
        tell_operator=Notices(chat=chat, operator=operator).tell,
        floodgate=Floodgate(settings.floods.quotas),
    )
    watcher = Watcher(
        events=events,
        classified=classified,
        audit=audit,
        classifier=rules(settings.classifier, bot_id=identity.user_id, table=read_weights(home.path)),
        alerts=Alerts(timedelta(minutes=settings.classifier.alert_pause_min)),
        threads=orchestrator,
        desk=Approval(
            orchestrator=orchestrator,
            chat=chat,
            audit=audit,
            clock=clock,
            new_id=new_id,
            operators=frozenset(settings.operators),
            freshness=freshness,
            redactor=redactor,
        ),
        clock=clock,
        new_id=new_id,
        watched={chat.chat_id: Watched(chat.name or chat.chat_id, chat.mode) for chat in settings.watched_chats},
        operator=operator,
    )
    team = Team(named=settings.classifier.team_members, groups=chat, watcher=watcher)
    await team.refresh()
    catch_up = CatchUp(
        history=chat,
        take=watcher.caught_up,
        roots=orchestrator.open_threads.roots,
        team_id=identity.team_id,
        clock=clock,
    )
    handlers = Handlers(
        record=watcher.record,
        event=watcher.event,
        press=watcher.press,
        dialog=watcher.dialog,
        connected=lambda: bot.connected(),
    )
    listeners: Listeners
    if http_port is None:
        listeners = SocketListeners(
            client=client,
            app_token=way_in,
            handlers=handlers,
            own_user=identity.user_id,
            socket_url=lambda: accepted(lambda: chat.socket_url(way_in), "SLACK_APP_TOKEN", clock),
        )
    else:
        listeners = HttpListeners(client=client, signing_secret=way_in, port=http_port, handlers=handlers)
    bot = Bot(
        home=home,
        clock=clock,
        identity=identity,
        orchestrator=orchestrator,
        cards=cards,
        delivery=delivery,
        watcher=watcher,
        listeners=listeners,
        journals=(events, classified, replies, audit),
        catch_ups=CatchUps(read=catch_up.run, clock=clock),
        periodic=Periodic(
            home=home,
            keep=timedelta(days=settings.retention.days),
            clock=clock,
            orchestrator=orchestrator,
            journals=(events, classified, replies, audit),
            watcher=watcher,
            team=team,
        ),
        broken=broken,
    )
    return bot


def make_engine(settings: Settings) -> Engine:
    """The engine that the settings name."""
    from bot.agents.keyword import KeywordEngine  # only when it is used

    return KeywordEngine()


def _limits(settings: Settings) -> Limits:
    return Limits(
        debounce=timedelta(milliseconds=settings.slack.debounce_ms),
        validator_bounces=min(settings.validator.max_rounds, settings.investigator.max_rounds - 1),
        expiry=timedelta(hours=settings.approval.expire_hours),
    )
