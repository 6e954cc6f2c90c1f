"""Supervisor of the processes of tiers 2 and 3: it starts them, watches them, and ends those that must end.

A process outlives the bot. All that a later bot needs stands in its folder and in the bot's record of its session, so
that each step here can be repeated after a crash.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import OverCap, TriageError, Unreadable
from bot.escalation.ends import KillOrder
from bot.escalation.folder import RunFolder, list_folders
from bot.escalation.handoffs import remove_stale
from bot.escalation.progress import Watched
from bot.models.escalation import HeadlessReturn, TierEnd
from bot.runtime.system_events import record_event

if TYPE_CHECKING:
    from pathlib import Path

    from bot.escalation.ends import EndReader
    from bot.escalation.launcher import Launcher
    from bot.escalation.money import ProcessMoney
    from bot.escalation.progress import ProgressTeller
    from bot.escalation.starter import Started, Starter
    from bot.models.escalation import EscalationTask
    from bot.models.findings import Assignment
    from bot.models.session import Outcome
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Store
    from bot.triage.controls import Controls

log = logging.getLogger(__name__)

LOOK_EVERY = 30.0
"""Seconds between two looks at all that run."""
GLANCE_EVERY = 1.0
"""Seconds between two glances at the ends of runs."""
GRACE = timedelta(seconds=60)
"""Time after its limit in which a process ends itself, and after its start in which it begins."""


STOPPED = KillOrder(outcome="cancelled", reason="an admin stopped Triage, which ended it")
NOT_AWAITED = KillOrder(outcome="cancelled", reason="its question did not wait for it any more")


@dataclass(kw_only=True)
class Supervisor:
    """The supervisor (`Escalations`). `parent` is the folder of all threads' folders."""

    parent: Path
    starter: Starter
    ends: EndReader
    money: ProcessMoney
    launcher: Launcher
    progress: ProgressTeller
    store: Store
    controls: Controls
    clock: Clock
    open_runs: dict[str, str]
    """Threads of the sessions that hold money, by session; shared with `starter`."""
    _watched: dict[str, Watched] = field(default_factory=dict)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, thread: Thread, run_id: str, assignment: Assignment) -> TierEnd:
        """Start the thread's tier unless it is started; return its end, also that of a process which ended while the
        bot was away."""
        folder = RunFolder(self.parent / thread.thread_id)
        try:
            started = await self.starter.start(folder, thread, run_id, assignment)
        except TriageError as problem:
            return _not_started(thread, run_id, problem)
        task = started.task
        self.open_runs[task.session_id] = task.thread_id
        watched = await self._watch(folder, started)
        self._watched[thread.thread_id] = watched
        self._wake.set()
        try:
            await watched.gone.wait()
            await self._tell_last(watched)
        finally:
            if self._watched.get(thread.thread_id) is watched:
                del self._watched[thread.thread_id]
            self._wake.set()  # its thread may wait for it no longer
        end = await self.ends.conclude(folder, task)
        self.open_runs.pop(task.session_id, None)
        return end

    async def _tell_last(self, watched: Watched) -> None:
        """Tell a thread the figures with which its run ended, before the end itself."""
        try:
            await self.progress.tell(watched)
        except (TriageError, OSError) as problem:
            log.warning("thread %s: the last figures of its run could not be read: %s", watched.task.thread_id, problem)

    async def begin(self) -> None:
        """Find the runs that hold money, and remove handoffs that nothing waits for; before any thread resumes."""
        for session in await self.money.list_open():
            if session.thread_id:
                self.open_runs[session.session_id] = session.thread_id
        for folder in await asyncio.to_thread(list_folders, self.parent):
            if not folder.handoff.exists():
                continue
            task = await asyncio.to_thread(_read_task, folder)
            if task is None or not is_awaited(task, await self._load(task.thread_id)):
                await asyncio.to_thread(remove_stale, folder, task.session_id if task else None)

    def end_silenced(self) -> None:
        """Look at once: Triage was stopped or resumed, or a thread muted (`SilenceObserver`)."""
        self._wake.set()

    async def watch(self) -> None:
        """Watch until cancelled, which ends no process."""
        next_look = self.clock.now()
        while True:
            if self._wake.is_set() or self.clock.now() >= next_look:
                self._wake.clear()
                next_look = self.clock.now() + timedelta(seconds=LOOK_EVERY)
                try:
                    await self.look()
                except Exception:
                    log.exception("a look at the running processes failed; the next one follows")
            else:
                await self._glance()
            sleep = asyncio.ensure_future(self.clock.sleep(GLANCE_EVERY))
            woken = asyncio.ensure_future(self._wake.wait())
            try:
                await asyncio.wait((sleep, woken), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in (sleep, woken):
                    each.cancel()

    async def look(self) -> None:
        """Look at every run that is not settled: its progress, end and limits, and if anything waits for it."""
        await self._glance()
        for session_id, thread_id in [*self.open_runs.items()]:
            watched = self._watched.get(thread_id)
            try:
                if watched and watched.task.session_id == session_id and not watched.gone.is_set():
                    await self._look_at(watched)
                elif watched is None:
                    await self._look_at_unwatched(session_id, RunFolder(self.parent / thread_id))
            except (TriageError, OSError) as problem:
                log.warning("thread %s: its process could not be looked at: %s", thread_id, problem)
        await asyncio.to_thread(self.launcher.reap)

    async def _glance(self) -> None:
        """Wake the threads whose process is gone."""
        if not self._watched:
            return
        watched = [*self._watched.values()]
        states = await asyncio.to_thread(lambda: [each.folder.read_state() for each in watched])
        for each, state in zip(watched, states, strict=True):
            if state in ("ended", "died"):
                each.gone.set()

    async def _watch(self, folder: RunFolder, started: Started) -> Watched:
        now = self.clock.now()
        return Watched(
            folder=folder,
            task=started.task,
            started_at=started.at or await self.money.find_start(started.task) or now,
            heard_at=now,
        )

    async def _look_at(self, watched: Watched) -> None:
        """Tell the progress of a run, hand on messages, or end it."""
        folder, task = watched.folder, watched.task
        thread = await self._load(task.thread_id)
        if not is_awaited(task, thread):
            await self._end(folder, task, NOT_AWAITED)
            await self._glance()
            return
        await self.progress.tell(watched)
        if thread:
            await self.progress.hand_on(watched, thread)
        if order := await asyncio.to_thread(self._find_order, watched):
            await self._end(folder, task, order)
            await self._glance()

    def _find_order(self, watched: Watched) -> KillOrder | None:
        """Return the reason why a run must end now; blocking."""
        now, task = self.clock.now(), watched.task
        if watched.folder.read_state() == "unstarted":
            late = "its process did not begin within a minute"
            return KillOrder(outcome="died", reason=late) if now - watched.started_at > GRACE else None
        if now - watched.started_at > timedelta(seconds=task.seconds) + GRACE:
            return KillOrder(
                outcome="limit", reason=f"it took longer than {task.seconds / 60:g} minutes, and was ended"
            )
        silence, allowed = watched.listen(now), task.assignment.allowed
        if allowed and silence > timedelta(minutes=allowed.inactivity_timeout_min):
            minutes = f"{allowed.inactivity_timeout_min:g} minutes"
            return KillOrder(outcome="stalled", reason=f"it gave no output for {minutes}, and was ended")
        return None

    async def _look_at_unwatched(self, session_id: str, folder: RunFolder) -> None:
        """End and settle a run that nothing waits for."""
        task = await asyncio.to_thread(_find_task, folder, session_id)
        if task is None:
            await self.money.drop(session_id, "its folder is gone")
            self.open_runs.pop(session_id, None)
            return
        is_stopped = self.controls.state == "stopped"
        if not is_stopped and is_awaited(task, await self._load(task.thread_id)):
            return  # its effect begins, or waits for `resume`
        is_current = await asyncio.to_thread(folder.is_current, session_id)
        if is_current and await asyncio.to_thread(folder.read_state) in ("unstarted", "running"):
            await self._end(folder, task, STOPPED if is_stopped else NOT_AWAITED)
        if is_stopped and is_awaited(task, await self._load(task.thread_id)):
            return  # its thread settles it after `resume`
        if not is_current:
            await asyncio.to_thread(folder.drop_child)
        await self.ends.settle(folder, task, NOT_AWAITED.outcome, NOT_AWAITED.reason)
        self.open_runs.pop(session_id, None)

    async def _end(self, folder: RunFolder, task: EscalationTask, order: KillOrder) -> None:
        """End a process by force; its reason is saved first."""
        await asyncio.to_thread(folder.write, folder.kill_order, order.model_dump(mode="json"))
        await asyncio.to_thread(self.launcher.kill, folder)
        await asyncio.to_thread(folder.bar)
        record_event("warning", task.session_id, f"Tier {task.tier} was ended: {order.reason}")

    async def _load(self, thread_id: str) -> Thread | None:
        try:
            return await self.store.load(thread_id)
        except Unreadable:
            return None


def is_awaited(task: EscalationTask, thread: Thread | None) -> bool:
    """Return whether a thread waits for this run."""
    return thread is not None and thread.status == "escalated" and thread.run_id == task.run_id


def _find_task(folder: RunFolder, session_id: str) -> EscalationTask | None:
    """Return the task of a session, begun or saved for later; blocking."""
    for read in (folder.read_task, folder.read_child_task):
        with suppress(Unreadable):
            task = read()
            if task and task.session_id == session_id:
                return task
    return None


def _read_task(folder: RunFolder) -> EscalationTask | None:
    with suppress(Unreadable):
        return folder.read_task()
    return None


def _not_started(thread: Thread, run_id: str, problem: TriageError) -> TierEnd:
    """Return the end of a run that could not be started."""
    outcome: Outcome = "over_cap" if isinstance(problem, OverCap) else "failed"
    started = thread.escalation.session_id if thread.escalation else None
    session_id = started or f"{thread.asked_at:%Y%m%dT%H%M%S}-none"
    record_event(
        "warning", started, f"Tier {thread.escalation.tier if thread.escalation else 2} not started: {problem}"
    )
    returned = HeadlessReturn(session_id=session_id, outcome=outcome, reason=str(problem))
    return TierEnd(returned=returned, is_started=False)
