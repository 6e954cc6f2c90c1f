"""Lifecycle of a bot: start, schedule and stop."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.models.purge_criterion import is_older
from bot.runtime.background_tasks import BackgroundTasks
from bot.runtime.scheduler import Job, run
from bot.runtime.system_events import STARTED
from bot.triage.retention import Retention
from bot.triage.sweeper import sweep
from bot.wiring.programs import build_command_runs
from bot.wiring.reporting import build_reporting

if TYPE_CHECKING:
    from bot.adapters.control_socket import ControlSocket
    from bot.adapters.listeners import Handlers
    from bot.agents.engines import Engines
    from bot.chat.conversations import ChatConversations
    from bot.commands.confirmation_buttons import ConfirmationButtons
    from bot.commands.entry import TypedCommandHandler
    from bot.commands.restart import RestartReport
    from bot.escalation.fix_drafter import HeadlessFixes
    from bot.escalation.supervisor import Supervisor
    from bot.health.services import Services
    from bot.hooks.scheduler import HookScheduler
    from bot.intake.dispatcher import Dispatcher
    from bot.runtime.scheduler import DayJob
    from bot.triage.auto_replies import AutoReplies
    from bot.triage.delivery import Delivery
    from bot.triage.effect_counts import CountedEffects
    from bot.triage.health_reports import HealthReports
    from bot.wiring.core import Core
    from bot.wiring.projects import ProjectWork
    from bot.wiring.surfaces import Surfaces
    from bot.wiring.tasks import CreatedTasks

log = logging.getLogger(__name__)

ANSWERED_WITHIN, DRAINED_WITHIN = 10.0, 60.0
"""Seconds for running commands to be answered, and for runs, replies and chat turns to end, before the process ends."""


@dataclass(kw_only=True, repr=False)  # each part names the others: its text would have gigabytes
class Bot:
    """A bot that is built but not started. It owns its home from `start` to `stop`."""

    core: Core
    engines: Engines
    dispatcher: Dispatcher
    conversations: ChatConversations
    surfaces: Surfaces
    supervisor: Supervisor | None
    """`None` where no agent works."""
    fixes: HeadlessFixes | None
    """Drafter of fixes; `None` without a model, or without a forge."""
    effects: CountedEffects
    delivery: Delivery
    handlers: Handlers
    control: ControlSocket
    health: HealthReports
    services: Services
    tasks: CreatedTasks
    hooks: HookScheduler
    auto_replies: AutoReplies
    project_work: ProjectWork
    commands: TypedCommandHandler
    restart: RestartReport
    jobs: tuple[Job | DayJob, ...]
    _tasks: BackgroundTasks = field(init=False)
    _has_cursors: bool = False

    def __post_init__(self) -> None:
        """Let a broken task stop the bot."""
        self._tasks = BackgroundTasks(self.core.stop)

    async def start(self) -> int:
        """Resume what the documents say, act on what a crash left undone, then connect to Slack.

        Returns the number of open threads.
        """
        core, spawn = self.core, self._tasks.spawn
        await core.storage.begin()
        await core.controls.load()
        for problem in filter(None, (core.projects.lost, core.controls.lost)):
            core.to_admin.send(escape(problem))
        await self.conversations.load()
        await self.engines.start()
        if jobs := self.engines.jobs:
            await jobs.begin()
            spawn(jobs.watch(), "changes of jobs")
            spawn(jobs.tend(), "jobs")
        await core.losses.load()
        await core.gates.book.load()  # before a thread resumes its reply
        if self.supervisor:
            await self.supervisor.begin()  # before a thread resumes its run
        if self.fixes:
            await self.fixes.begin()
        await self.hooks.begin()  # before services and tasks tell what happened
        await self.services.begin()
        await self.tasks.begin()
        await self.restart.begin()
        open_threads = await self.core.orchestrator.start()
        for thread_id in self.core.orchestrator.open_threads.in_windows():
            if thread := await core.store.load(thread_id):
                core.watcher.debouncer.restore(thread)
        recovered = await self.dispatcher.recover()
        await self.commands.confirmations.begin()
        turns = self.conversations.begin()
        await core.cursors.begin()
        await core.repositories.fetch_missing()
        self._has_cursors = True
        log.info(STARTED, open_threads, turns, recovered)
        spawn(core.watcher.recall(), "recall")
        spawn(core.catch_ups.run(), "catch-up")
        spawn(core.access.run(), "access")
        spawn(self.auto_replies.resume(), "automatic replies")
        spawn(self.project_work.creation.run(), "channels")
        spawn(self.project_work.belongings.run(), "deletions")
        spawn(self.surfaces.views.reminders.begin(), "reminders")
        spawn(sweep(self.core.orchestrator, core.clock), "sweeper")
        if self.supervisor:
            spawn(self.supervisor.watch(), "supervisor")
        if self.services.is_used:
            spawn(self.services.run(), "services")
        spawn(self.tasks.threads.run(), "orders")
        spawn(self.tasks.scheduler.run(), "tasks")
        spawn(self.hooks.run(), "hooks")
        await core.listeners.connect(self.handlers)
        await self.control.open()
        self.engines.warm_up()  # after the connection, which need not wait for a second of imports
        spawn(self.restart.tell(), "restart")
        spawn(self.health.run(), "health")
        spawn(self._run_jobs(), "schedule")
        if core.indexing:
            spawn(core.indexing.run(), "indexing")
        return open_threads

    async def _run_jobs(self) -> None:
        core = self.core
        try:
            await run(
                self.jobs, clock=core.clock, state_file=core.storage.json_file("schedule"), extra_jobs=self._fetches
            )
        finally:
            await core.repositories.stop()

    def _fetches(self) -> tuple[Job, ...]:
        """Return a job for each repository; it only starts the fetch, so that a slow server delays nothing else."""
        fetch, intervals = self.core.repositories.fetch_soon, self.core.repositories.intervals
        return tuple(Job(f"fetch {name}", every, partial(fetch, name)) for name, every in intervals.items())

    async def drain(self) -> None:
        """Let commands and their answers end, and for a limited time runs, replies and chat turns; none begins.

        What comes in meanwhile is recorded, and done by the next process.
        """
        self.core.draining.begin()
        self.auto_replies.end()
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWERED_WITHIN):
                await self.commands.settle()
        runs, turns = self.core.orchestrator.drain(DRAINED_WITHIN), self.conversations.drain(DRAINED_WITHIN)
        left, _ = await asyncio.gather(runs, turns)
        if left:
            log.info("%d runs or replies have not ended; they are repeated or looked up at the next start", left)

    async def stop(self) -> None:
        """Disconnect, end what runs, flush; the documents say how to go on."""
        core = self.core
        core.draining.begin()
        await core.listeners.close()
        await self.control.close()
        await self._tasks.cancel()
        await self.commands.confirmations.stop()
        await self.hooks.stop()
        await self.conversations.stop()
        if self._has_cursors:
            await self.core.cursors.save()
        await self.services.stop()
        await self.surfaces.views.stop()
        await self.auto_replies.stop()
        await self.core.orchestrator.stop()
        await self.engines.close()
        for processes in (core.indexing, core.workers):
            if processes:
                await processes.stop()
        for journal in core.journals:
            await journal.close()
        if self.core.losses.stop_reason:  # the report then says why nothing runs
            await self.health.report()


def build_jobs(core: Core, confirming: ConfirmationButtons, services: Services) -> tuple[Job | DayJob, ...]:
    """Build the jobs of the schedule."""
    retention = Retention(
        keep=timedelta(days=core.settings.retention.days),
        clock=core.clock,
        store=core.store,
        journals=core.journals,
        is_over=is_older,
        purge_parts=core.storage.purge_parts,
        open_threads=core.orchestrator.open_threads,
    )
    return (
        Job("retention", timedelta(days=1), retention.run),
        Job("team", timedelta(days=1), core.watcher.team.refresh),
        Job("operators", timedelta(hours=1), core.operators.refresh),
        Job("watching", timedelta(hours=1), core.cursors.save),
        Job("confirmations", timedelta(minutes=1), confirming.expire),
        Job("command runs", timedelta(days=1), build_command_runs(core).prune),
        *build_reporting(core, services).jobs(),
    )
