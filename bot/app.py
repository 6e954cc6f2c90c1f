"""The whole bot, put together: the only place that knows every class. Called by `triage run` and by tests."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.classifier import compile_rules
from bot.decide.workflow import Limits
from bot.edges.clock import SystemClock
from bot.edges.documents import Documents
from bot.edges.home import Health, Home
from bot.edges.journal import NdjsonJournal
from bot.edges.listeners import Handlers, Listeners
from bot.edges.slack import Identity, SlackChat, web_client
from bot.errors import Misconfigured, Refused, RetryLater, TriageError
from bot.intake.catch_up import CatchUp
from bot.intake.watcher import Watched, Watcher
from bot.triage.approval import Approval
from bot.triage.cards import Cards
from bot.triage.delivery import Delivery
from bot.triage.effects import Effects
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
    catch_up: CatchUp
    broken: asyncio.Future[TriageError]
    """Done when the bot must stop, since the disk can no longer be trusted."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        """Go on where the documents say, act on what a crash left undone, then take in what Slack sends."""
        open_threads = await self.orchestrator.start()
        recovered = await self.watcher.recover()
        log.info("%d threads are open, %d happenings were recovered", open_threads, recovered)
        self._spawn(sweep(self.orchestrator, self.clock, new_id), "sweeper")
        await self.listeners.connect()
        self._spawn(self._say_health(), "health")

    def connected(self) -> None:
        """A socket was opened: read what was said since the last message that came in."""
        self._spawn(self._catch_up(dict(self.watcher.read_to)), "catch-up")

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _catch_up(self, read_to: dict[str, str]) -> None:
        try:
            count = await self.catch_up.run(read_to)
        except Exception:
            log.exception("catching up broke")
        else:
            log.info("caught up with %d messages", count)

    async def stop(self) -> None:
        """Take nothing more in, end what runs, flush; the documents say how to go on."""
        await self.listeners.close()
        running = [*self._tasks]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.cards.stop()
        await self.orchestrator.stop()
        for journal in self.journals:
            await journal.close()

    async def _say_health(self) -> None:
        while True:
            connected = await self.listeners.connected()
            health = Health(at=self.clock.now(), pid=os.getpid(), connected=connected)
            try:
                await self.home.say_health(health)
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
) -> Bot:
    """Put a bot together. Asks Slack who it is; raises `Misconfigured` when Slack does not know the token."""
    clock = clock or SystemClock()
    bot_token, app_token = tokens(environment)
    client = web_client(bot_token, environment.slack_api_url)
    chat = SlackChat(client)
    identity = await _identify(chat, clock)
    broken: asyncio.Future[TriageError] = asyncio.get_running_loop().create_future()

    def stop_for(problem: TriageError) -> None:
        def tell() -> None:
            if not broken.done():
                broken.set_result(problem)

        broken.get_loop().call_soon_threadsafe(tell)

    paths = (home.events, home.classified, home.replies, home.audit)
    events, classified, replies, audit = (
        NdjsonJournal(path, on_broken=stop_for, may_refuse=path == home.events) for path in paths
    )
    delivery = Delivery(chat=chat, replies=replies, clock=clock, new_id=new_id)
    effects = Effects(
        engine=engine or make_engine(settings),
        projects=settings.project_list,
        delivery=delivery,
        chat=chat,
        clock=clock,
        new_id=new_id,
        deadline=settings.investigator.hard_cap_runtime_min * 60,
    )
    cards = Cards(
        chat=chat, clock=clock, new_id=new_id, tell=lambda thread_id, what: orchestrator.tell(thread_id, what)
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
    )
    watcher = Watcher(
        events=events,
        classified=classified,
        audit=audit,
        classifier=compile_rules(
            bot_id=settings.classifier.bot_id or identity.user_id,
            ack_patterns=settings.classifier.ack_patterns,
            question_keywords=settings.classifier.question_keywords,
        ),
        threads=orchestrator,
        desk=Approval(
            orchestrator=orchestrator,
            chat=chat,
            audit=audit,
            clock=clock,
            new_id=new_id,
            operators=frozenset(settings.operators),
        ),
        clock=clock,
        new_id=new_id,
        watched={chat.chat_id: Watched(chat.name or chat.chat_id, chat.mode) for chat in settings.watched_chats},
        operator=operator,
    )
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
    listeners = Listeners(client=client, app_token=app_token, handlers=handlers)
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
        catch_up=catch_up,
        broken=broken,
    )
    return bot


def ready_to_run(settings: Settings, path: object) -> None:
    """Raise `Misconfigured` when the settings are valid but leave the bot nothing to do."""
    needed: dict[str, tuple[object, str]] = {
        "watched_chats": (settings.watched_chats, "at least one channel to watch"),
        "operators": (settings.operators, "at least one Slack user id, who gets the cards and approves"),
        "projects": (settings.projects, "at least one project to answer from"),
    }
    missing = [f"{path}: {key}: expected {what}" for key, (value, what) in needed.items() if not value]
    if missing:
        raise Misconfigured("\n".join(missing))
    if settings.engine == "claude":
        raise Misconfigured(f"{path}: engine: expected keyword; this version has no agents on a model yet")


def tokens(environment: Environment) -> tuple[str, str]:
    """The bot's and the app's token. Raises `Misconfigured`, naming the variables that are missing."""
    bot, app = environment.slack_bot_token, environment.slack_app_token
    if bot is None or app is None:
        missing = [
            name
            for name, token in (("SLACK_BOT_TOKEN (xoxb-…)", bot), ("SLACK_APP_TOKEN (xapp-…)", app))
            if token is None
        ]
        raise Misconfigured(f"expected in the environment: {' and '.join(missing)}; docs/install.md says where from")
    return bot.get_secret_value(), app.get_secret_value()


def make_engine(settings: Settings) -> Engine:
    """The engine that the settings name."""
    from bot.agents.keyword import KeywordEngine  # only when it is used

    return KeywordEngine()


def _limits(settings: Settings) -> Limits:
    return Limits(
        debounce=timedelta(milliseconds=settings.slack.debounce_ms),
        validator_bounces=min(settings.validator.max_rounds, settings.investigator.max_rounds - 1),
    )


async def _identify(chat: SlackChat, clock: Clock) -> Identity:
    wait = 0.1
    while True:
        try:
            return await chat.identity()
        except Refused as problem:
            raise Misconfigured(f"SLACK_BOT_TOKEN: Slack does not accept it ({problem.code})") from None
        except RetryLater as problem:
            wait = min(30.0, wait * 2)
            (log.warning if wait > 1 else log.info)("%s; again in %.1f s", problem, wait)
            await clock.sleep(max(wait, problem.after if wait > 1 else 0))
