"""Lifecycle of a bot: start, background tasks, health, stop."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from blocks.text import escape
from bot.adapters.home import Health
from bot.adapters.json_file import KeptFile
from bot.errors import TriageError
from bot.runtime.retry import rest
from bot.runtime.scheduler import Job, run
from bot.triage.sweeper import sweep
from bot.wiring.infrastructure import new_id

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from bot.adapters.control_socket import ControlSocket
    from bot.adapters.listeners import Handlers
    from bot.agents.engines import Engines
    from bot.chat.conversations import ChatConversations
    from bot.intake.dispatcher import Dispatcher
    from bot.runtime.scheduler import DayJob
    from bot.triage.delivery import Delivery
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake
    from bot.wiring.surfaces import Surfaces

log = logging.getLogger(__name__)

HEALTH_EVERY = 10.0
"""Seconds between two health files."""


@dataclass(kw_only=True)
class Bot:
    """A bot that is built but not started. It owns its home from `start` to `stop`."""

    infra: Infrastructure
    engines: Engines
    orchestrator: Orchestrator
    intake: Intake
    dispatcher: Dispatcher
    conversations: ChatConversations
    surfaces: Surfaces
    delivery: Delivery
    handlers: Handlers
    control: ControlSocket
    jobs: tuple[Job | DayJob, ...]
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _begun: bool = False
    """True once the read cursors are loaded."""

    async def start(self) -> int:
        """Resume what the documents say, act on what a crash left undone, then connect to Slack.

        Returns the number of open threads.
        """
        infra = self.infra
        await infra.controls.load()
        if infra.controls.lost:
            infra.to_admin.send(escape(infra.controls.lost))
        await self.conversations.load()
        await self.engines.start()
        await self.intake.access.losses.load()
        open_threads = await self.orchestrator.start()
        for thread_id in self.orchestrator.open_threads.in_windows():
            if thread := await infra.store.load(thread_id):
                self.intake.watcher.windows.restore(thread)
        recovered = await self.dispatcher.recover()
        turns = self.conversations.begin()
        await self.intake.cursors.begin()
        await infra.repositories.fetch_missing()
        self._begun = True
        message = "%d threads and %d turns of conversations are open, %d happenings were recovered"
        log.info(message, open_threads, turns, recovered)
        self._spawn(self.intake.watcher.recall(), "recall")
        self._spawn(self.intake.catch_ups.run(), "catch-up")
        self._spawn(self.intake.access.run(), "access")
        self._spawn(self.surfaces.views.reminders.begin(), "reminders")
        self._spawn(sweep(self.orchestrator, infra.clock, new_id), "sweeper")
        await infra.listeners.connect(self.handlers)
        await self.control.open()
        self._spawn(self._write_health(), "health")
        self._spawn(self._run_jobs(), "schedule")
        if infra.indexing:
            self._spawn(infra.indexing.run(), "indexing")
        return open_threads

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Stop the bot when a background task breaks, so that it starts again: nobody would notice otherwise."""
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()):
            log.error("%s broke", task.get_name(), exc_info=problem)
            self.infra.stop.set(TriageError(f"{task.get_name()} broke: {problem}"))

    async def _run_jobs(self) -> None:
        infra = self.infra
        try:
            await run(self.jobs, clock=infra.clock, kept=KeptFile(infra.home.schedule), more=self._fetches)
        finally:
            await infra.repositories.stop()

    def _fetches(self) -> tuple[Job, ...]:
        """Return a job for each repository; it only starts the fetch, so that a slow server delays nothing else."""
        repositories = self.infra.repositories
        fetch = repositories.fetch_soon
        return tuple(
            Job(f"fetch {name}", every, partial(fetch, name)) for name, every in repositories.intervals.items()
        )

    async def stop(self) -> None:
        """Disconnect, end what runs, flush; the documents say how to go on."""
        infra = self.infra
        await infra.listeners.close()
        await self.control.close()
        running = [*self._tasks]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.conversations.stop()
        if self._begun:
            await self.intake.cursors.save()
        await self.surfaces.views.stop()
        await self.orchestrator.stop()
        await self.engines.close()
        for processes in (infra.indexing, infra.workers):
            if processes:
                await processes.stop()
        for journal in infra.journals:
            await journal.close()
        if self.intake.access.losses.ended:  # the health file then says why nothing runs
            await self._write_health_once()

    async def _write_health(self) -> None:
        """Write the health file every few seconds, and at once when something is lost or found again."""
        news = self.intake.access.losses.news
        while True:
            news.clear()
            await self._write_health_once()
            await rest(self.infra.clock, HEALTH_EVERY, unless=news)

    async def _write_health_once(self) -> None:
        health = Health(
            at=self.infra.clock.now(),
            pid=os.getpid(),
            connected=await self.infra.listeners.connected(),
            searches=self.infra.searches,
            problems=self.intake.access.losses.problems,
        )
        try:
            await asyncio.to_thread(self.infra.home.say_health, health)
        except OSError as problem:
            log.warning("no word of health could be left: %s", problem.strerror)
