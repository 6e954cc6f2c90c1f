"""Scheduler of hooks: begins their runs when a time is due, an event has come, files changed or a person fires one.

A run is on disk before its work starts, with the next time of its schedule. Times that passed while Triage was down,
paused or stopped, or while the hook ran, are one run.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.hooks.runs import begin_run, find_due, may_begin, plan
from bot.errors import RetryLater
from bot.hooks.hook_book import put
from bot.models.hook import FileChange, Schedule
from bot.models.hook_record import HookCause
from bot.runtime.background_tasks import cancel_all
from bot.runtime.draining import Draining
from bot.runtime.retry import sleep_unless

if TYPE_CHECKING:
    from datetime import datetime

    from bot.hooks.events import HookEvents
    from bot.hooks.file_changes import FileChanges
    from bot.hooks.hook_book import HookBook
    from bot.hooks.owner_notices import OwnerNotices
    from bot.hooks.runner import HookRunner
    from bot.models.hook_record import HookRecord, HookRun
    from bot.ports.hooks import HookActions
    from bot.ports.outbound import Clock
    from bot.triage.controls import Controls

log = logging.getLogger(__name__)

LOOK_EVERY = 30.0
"""Most seconds between two looks: the clock may be set, the machine may sleep, and files are looked at then."""


@dataclass(kw_only=True, repr=False)
class HookScheduler:
    """Starter of runs; each runs in a task of its own, at most one of each hook. `zone` is that of the settings."""

    book: HookBook
    runner: HookRunner
    events: HookEvents
    files: FileChanges
    notices: OwnerNotices
    controls: Controls
    clock: Clock
    zone: str
    draining: Draining = field(default_factory=Draining)
    _running: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _heads: dict[str, dict[str, str]] = field(default_factory=dict)
    """Commits up to which files were looked at for a run that is about to begin, by hook."""
    _sending: asyncio.Task[None] | None = None

    @property
    def actions(self) -> HookActions:
        """Return the actions of hooks."""
        return self.runner.actions

    async def begin(self) -> None:
        """Load the hooks, before the first event can come; later times follow the time zone as it is now."""
        await self.book.load()
        self.notices.begin()
        now = self.clock.now()
        for record in self.book.records:
            if record.next_at and record.next_at > now:
                put(self.book, plan(record, zone=self.zone, now=now))

    async def run(self) -> None:
        """Go on with the runs of an earlier process, and begin those that are due, until cancelled."""
        for record in self.book.records:
            if record.open_run:
                self._start(record.hook.name)
        while True:
            self.book.news.clear()
            try:
                await self.look()
            except RetryLater as problem:
                log.warning("hooks: %s; it is tried again", problem)
                seconds = LOOK_EVERY
            else:
                seconds = self._find_seconds()
            if self.notices.is_waiting and self._sending is None and self.controls.state != "stopped":
                self._sending = asyncio.create_task(self._send_notices(), name="notices of hooks")
            await sleep_unless(self.clock, seconds, unless=self.book.news)

    async def stop(self) -> None:
        """Cancel what runs; the next start goes on with it."""
        await cancel_all([*self._running.values(), *([self._sending] if self._sending else [])])

    async def look(self) -> None:
        """Begin the runs that are due now. Raises `RetryLater` if that cannot be saved; then none has begun."""
        if not self._may_begin_any:
            return
        causes: dict[str, HookCause] = {}
        for record in self.book.records:
            try:
                cause = await self._find_cause(record)
            except Exception:  # one hook must not hold up the others
                log.exception("hook %s: its trigger failed; it is looked at again", record.hook.name)
                continue
            if cause:
                causes[record.hook.name] = cause
        await self._begin(causes)

    async def fire(self, name: str, user: str, run_id: str) -> HookRun | None:
        """Begin a run for a person, whatever the cooldown says, once for each id; return it as it is now.

        `None` if the hook does not exist, or another run of it is open. Raises `RetryLater`, and then nothing begins.
        """
        run = self.find_run(name, run_id)
        record = self.book.find(name)
        cause = HookCause(kind="fired", at=self.clock.now(), by=user)
        if run or record is None or not may_begin(record, cause, cause.at):
            return run
        await self._begin({name: cause}, run_id)
        return self.find_run(name, run_id)

    async def wait_for(self, name: str, run_id: str, seconds: float) -> HookRun | None:
        """Wait at most so long for the end of a run; return it as it is then."""
        if running := self._running.get(name):
            await asyncio.wait([running], timeout=seconds)
        return self.find_run(name, run_id)

    def find_run(self, name: str, run_id: str) -> HookRun | None:
        """Return a run by its id."""
        record = self.book.find(name)
        return next((run for run in record.runs if run.run_id == run_id), None) if record else None

    async def _find_cause(self, record: HookRecord) -> HookCause | None:
        """Return the cause of a run that is to begin now, and note what was looked at for it."""
        now, hook = self.clock.now(), record.hook
        if record.open_run:
            return None
        match hook.trigger:
            case Schedule():
                return self._find_time(record, now)
            case FileChange():
                return await self._find_files(record, now)
            case _:
                cause = self.events.waiting.pop(hook.name, None)
                return cause if cause and may_begin(record, cause, now) else None

    def _find_time(self, record: HookRecord, now: datetime) -> HookCause | None:
        due = find_due(record, now)
        cause = HookCause(kind="schedule", at=due) if due else None
        if cause and may_begin(record, cause, now):
            return cause
        if record.hook.is_enabled and (cause or record.next_at is None):
            put(self.book, plan(record, zone=self.zone, now=now))  # within the cooldown, or never planned
        return None

    async def _find_files(self, record: HookRecord, now: datetime) -> HookCause | None:
        if not may_begin(record, HookCause(kind="file", at=now), now):
            return None
        heads, cause = await self.files.find(record, now)
        current = self.book.find(record.hook.name)
        if current is None or current.hook != record.hook:
            return None  # it was changed meanwhile; the next look decides
        if cause:
            self._heads[record.hook.name] = heads
        elif current.commits != heads:
            put(self.book, current.evolve(commits=heads))
        return cause

    async def _begin(self, causes: dict[str, HookCause], run_id: str = "") -> None:
        """Begin runs, all on disk before any of them works. Raises `RetryLater`, and then none has begun."""
        before = {}
        for name, cause in causes.items():
            record = self.book.find(name)
            now = self.clock.now()
            if record and may_begin(record, cause, now):
                before[name] = record
                looked_at = record.evolve(commits=self._heads.pop(name, record.commits))
                put(self.book, begin_run(looked_at, cause, run_id or self.clock.new_id(), zone=self.zone, now=now))
        try:
            await self.book.save()
        except RetryLater:
            self._take_back(before, causes)
            raise
        for name in before:
            self._start(name)

    def _take_back(self, before: dict[str, HookRecord], causes: dict[str, HookCause]) -> None:
        """Undo the begin of runs that could not be saved; events wait for the next look."""
        for name, record in before.items():
            put(self.book, record)
            if causes[name].kind in ("message", "task", "service"):
                self.events.waiting.setdefault(name, causes[name])

    def _start(self, name: str) -> None:
        task = asyncio.create_task(self.runner.run(name), name=f"hook {name}")
        self._running[name] = task
        task.add_done_callback(lambda finished: self._forget(name, finished))

    def _forget(self, name: str, finished: asyncio.Task[None]) -> None:
        if self._running.get(name) is finished:
            del self._running[name]
        if not finished.cancelled() and (problem := finished.exception()):
            log.error("hook %s broke", name, exc_info=problem)

    async def _send_notices(self) -> None:
        """Send the notices that wait; what does not arrive is tried again at a later look."""
        try:
            await self.notices.send()
            await self.book.save()
        except RetryLater as problem:
            log.warning("hooks: %s; it is tried again", problem)
        except Exception:
            log.exception("the notices of hooks failed; they are tried again")
        finally:
            self._sending = None

    @property
    def _may_begin_any(self) -> bool:
        return self.controls.state == "running" and not self.draining.is_on

    def _find_seconds(self) -> float:
        """Return the seconds until the next time that is due."""
        if not self._may_begin_any:
            return LOOK_EVERY
        now = self.clock.now()
        times = [record.next_at for record in self.book.records if record.next_at and not record.open_run]
        return min([LOOK_EVERY, *(max(0.0, (at - now).total_seconds()) for at in times)])
