"""A bot that is put together: what it starts, in which order, and how it stops."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks.text import escape
from bot.adapters.home import Health, Home
from bot.errors import TriageError
from bot.runtime.retry import rest
from bot.triage.sweeper import sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from bot.adapters.journal import NdjsonJournal
    from bot.adapters.listeners import Listeners
    from bot.adapters.slack import Identity
    from bot.agents.indexing import Indexing
    from bot.chat.conversations import ChatConversations
    from bot.intake.catch_up import CatchUps
    from bot.intake.dispatcher import Dispatcher
    from bot.intake.watcher import Watcher
    from bot.ports.outbound import Clock
    from bot.runtime.workers import Workers
    from bot.triage.access import Access
    from bot.triage.controls import Controls
    from bot.triage.delivery import Delivery
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.projects import Projects
    from bot.wiring.llm import Engines
    from bot.wiring.periodic import Periodic
    from bot.wiring.surfaces import Surfaces

log = logging.getLogger(__name__)

HEALTH_EVERY = 10.0
"""Seconds between two words of health."""


@dataclass(kw_only=True)
class Bot:
    """A bot that is built but not started. It owns its home from `start` to `stop`."""

    home: Home
    clock: Clock
    new_id: Callable[[], str]
    identity: Identity
    controls: Controls
    orchestrator: Orchestrator
    shown: Surfaces
    delivery: Delivery
    watcher: Watcher
    dispatcher: Dispatcher
    conversations: ChatConversations
    listeners: Listeners
    journals: tuple[NdjsonJournal, ...]
    access: Access
    catch_ups: CatchUps
    periodic: Periodic
    projects: Projects
    engines: Engines
    workers: Workers | None = None
    """The processes that search."""
    indexing: Indexing | None = None
    is_quiet: Callable[[], bool] = lambda: False
    """Whether nothing has come in for a while."""
    searches: Callable[[], str] = str
    """What these do, in words."""
    tell_admin: Callable[[str], None]
    broken: asyncio.Future[TriageError]
    """Done when the bot must stop, since the disk can no longer be trusted."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _begun: bool = False
    """True if it is known how far each channel was read."""

    async def start(self) -> int:
        """Go on where the documents say, act on what a crash left undone, then take in what Slack sends.

        The answer is how many threads are open.
        """
        await self.controls.load()
        if self.controls.lost:
            self.tell_admin(escape(self.controls.lost))
        await self.conversations.load()
        await self.engines.start()
        await self.access.losses.load()
        open_threads = await self.orchestrator.start()
        for thread_id in self.orchestrator.open_threads.in_windows():
            if thread := await self.orchestrator.store.load(thread_id):
                self.watcher.windows.restore(thread)
        recovered = await self.dispatcher.recover()
        turns = self.conversations.begin()
        await self.periodic.begin()
        self._begun = True
        said = "%d threads and %d turns of conversations are open, %d happenings were recovered"
        log.info(said, open_threads, turns, recovered)
        self._spawn(self.watcher.recall(), "recall")
        self._spawn(self.catch_ups.run(), "catch-up")
        self._spawn(self.access.run(), "access")
        self._spawn(self.shown.reminders.begin(), "reminders")
        self._spawn(sweep(self.orchestrator, self.clock, self.new_id), "sweeper")
        await self.listeners.connect()
        await self.shown.control.open()
        self._spawn(self._say_health(), "health")
        self._spawn(self.periodic.run(), "schedule")
        if self.indexing:
            self._spawn(self.indexing.run(), "indexing")
        return open_threads

    def connected(self) -> None:
        """A socket was opened: read what was said since the last message that came in."""
        self.catch_ups.missed(self.watcher.cursors.points)

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
        await self.shown.control.close()
        running = [*self._tasks]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.conversations.stop()
        if self._begun:
            await self.periodic.keep_cursors()
        await self.shown.stop()
        await self.orchestrator.stop()
        await self.engines.close()
        for processes in (self.indexing, self.workers):
            if processes:
                await processes.stop()
        for journal in self.journals:
            await journal.close()
        if self.access.losses.ended:  # whoever looks next is to know why nothing runs
            await self._say_health_once()

    async def _say_health(self) -> None:
        """Say it every few seconds, and at once where something was lost or is back."""
        news = self.access.losses.news
        while True:
            news.clear()
            await self._say_health_once()
            await rest(self.clock, HEALTH_EVERY, unless=news)

    async def _say_health_once(self) -> None:
        health = Health(
            at=self.clock.now(),
            pid=os.getpid(),
            connected=await self.listeners.connected(),
            searches=self.searches(),
            problems=self.access.losses.problems,
        )
        try:
            await asyncio.to_thread(self.home.say_health, health)
        except OSError as problem:
            log.warning("no word of health could be left: %s", problem.strerror)
