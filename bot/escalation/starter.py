"""Start of runs of tiers 2 and 3: the task, its money, the step to it in the folder, then its process.

Each step can be repeated: after a crash the same call goes on where the one before ended.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import Refused, RetryLater, TriageError, Unreadable
from bot.escalation.handoffs import build_handoff
from bot.escalation.watch_handoffs import build_watch_handoff
from bot.models.escalation import EscalationTask
from bot.runtime.system_events import record_event

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.decide.escalation import EscalationPolicy
    from bot.escalation.ends import EndReader
    from bot.escalation.environment import EnvironmentBuilder
    from bot.escalation.folder import RunFolder
    from bot.escalation.launcher import Launcher
    from bot.escalation.money import ProcessMoney
    from bot.models.findings import Assignment
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Started:
    """A run with its process."""

    task: EscalationTask
    at: datetime | None
    """Time of its start; `None` for one that was started before."""


@dataclass(frozen=True, kw_only=True)
class Starter:
    """Starter."""

    home: Path
    settings_file: Path | None
    settings: Settings
    policy: EscalationPolicy
    launcher: Launcher
    money: ProcessMoney
    ends: EndReader
    environments: EnvironmentBuilder
    clock: Clock
    open_runs: dict[str, str]
    """Threads of the sessions that hold money, by session; a run is added before it holds any."""

    async def start(self, folder: RunFolder, thread: Thread, run_id: str, assignment: Assignment) -> Started:
        """Start the run unless it is started. Raises `TriageError` if it cannot be."""
        task = await asyncio.to_thread(_read_current, folder)
        if task and task.run_id == run_id:
            return await self._launch(folder, task)
        if thread.escalation and not self.policy.starts(thread.escalation.tier):
            raise Refused(f"the settings start no tier {thread.escalation.tier} any more", code="not_escalated")
        try:
            await self._end_before(folder, task)
            task = await self._save(folder, thread, run_id, assignment)
            await asyncio.to_thread(folder.promote)
        except OSError as problem:
            raise RetryLater(f"{folder.path}: {problem.strerror}") from problem
        return await self._launch(folder, task)

    async def _save(self, folder: RunFolder, thread: Thread, run_id: str, assignment: Assignment) -> EscalationTask:
        """Save the task of the next run, and hold its money."""
        saved = await asyncio.to_thread(_read_saved, folder, thread)
        before = _with_remediation(saved, thread) if saved else self._build(thread, run_id, assignment)
        task = before.evolve(
            run_id=run_id,
            assignment=assignment,
            settings_file=self.settings_file and self.settings_file.absolute(),  # the process has its own folder
            home=self.home,
            seconds=self.settings.tiers.get_tier(thread.escalation.tier).hard_cap_runtime_min * 60
            if thread.escalation
            else 0.0,
        )
        await asyncio.to_thread(folder.save_child, task)  # first of all: it names the session that holds the money
        self.open_runs[task.session_id] = task.thread_id
        try:
            task = await self.money.hold(task)
        except TriageError:
            del self.open_runs[task.session_id]
            await asyncio.to_thread(folder.drop_child)
            raise
        await asyncio.to_thread(folder.save_child, task)
        return task

    def _build(self, thread: Thread, run_id: str, assignment: Assignment) -> EscalationTask:
        """Build the task of a run that follows one inside the bot, or none."""
        if thread.escalation is None:
            raise Refused("the question has no escalation", code="not_escalated")
        now, tier = self.clock.now(), thread.escalation.tier
        return EscalationTask(
            session_id=f"{now:%Y%m%dT%H%M%S}-{self.clock.new_id()}",
            parent_session_id=_find_parent(thread),
            thread_id=thread.thread_id,
            run_id=run_id,
            tier=tier,
            assignment=assignment,
            handoff=build_handoff(thread, tier),
            home=self.home,
            usd=0.0,
            seconds=0.0,
        )

    async def _launch(self, folder: RunFolder, task: EscalationTask) -> Started:
        """Start the process where none has begun."""
        if await asyncio.to_thread(folder.read_state) != "unstarted":
            return Started(task, None)
        try:
            environment = await asyncio.to_thread(self.environments.build, task.tier)
            launched = await asyncio.to_thread(self.launcher.start, folder, name_run(task), environment)
        except (TriageError, OSError) as problem:
            await asyncio.to_thread(folder.bar)
            await self.ends.settle(folder, task, "failed", str(problem))
            self.open_runs.pop(task.session_id, None)
            raise RetryLater(str(problem)) from problem
        way = f"in the tmux session {launched.tmux_session}" if launched.tmux_session else "as a detached process"
        after = f" after session {task.parent_session_id}" if task.parent_session_id else ""
        record_event("info", task.session_id, f"Tier {task.tier} started{after}, {way}")
        return Started(task, self.clock.now())

    async def _end_before(self, folder: RunFolder, task: EscalationTask | None) -> None:
        """End and settle the run before, which nothing waits for."""
        if await asyncio.to_thread(folder.find_process) is not None:
            await asyncio.to_thread(self.launcher.kill, folder)
        if task:
            await self.ends.settle(folder, task, "died", "its question did not wait for it any more")
            self.open_runs.pop(task.session_id, None)


def _find_parent(thread: Thread) -> str | None:
    """Return the last investigation of the question; before any, the check run that was the first tier."""
    checks = thread.incident.session_id if thread.incident and thread.is_about_incident else None
    return next((run.session_id for run in reversed(thread.runs) if run.agent == "investigator"), checks)


def _with_remediation(saved: EscalationTask, thread: Thread) -> EscalationTask:
    """Return the task that a run asked for before a person decided on its runbook, with what came of that."""
    if thread.incident is None or not thread.is_about_incident:
        return saved
    return saved.evolve(handoff=build_watch_handoff(thread, thread.incident, saved.tier, saved.handoff))


def name_run(task: EscalationTask) -> str:
    """Return the name of a run, for its session in tmux."""
    return f"{task.assignment.task or task.thread_id}-{task.tier}"


def _read_current(folder: RunFolder) -> EscalationTask | None:
    try:
        return folder.read_task()
    except Unreadable as problem:
        log.warning("a task of an earlier run is put aside: %s", problem)
        return None


def _read_saved(folder: RunFolder, thread: Thread) -> EscalationTask | None:
    """Return the saved task of the next run, if it is for the thread's present question and tier."""
    try:
        saved = folder.read_child_task()
    except Unreadable as problem:
        log.warning("a saved task is not used: %s", problem)
        return None
    if saved is None or thread.escalation is None or saved.tier != thread.escalation.tier:
        return None
    return saved if saved.session_id[:15] >= f"{thread.asked_at:%Y%m%dT%H%M%S}" else None
