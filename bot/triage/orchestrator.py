"""The orchestrator: one ordered queue per thread, each step a matter of milliseconds.

Each step loads the document, decides, saves, then starts the effect as its own task; the effect's result is the next
event. Nothing here waits for work: a press or a follow-up is handled immediately while an investigation runs.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.decide.workflow import Transition, WorkflowLimits, advance, list_side_effects, resume
from bot.errors import Conflict, Unreadable
from bot.models.effect import CheckFindings, DraftFix, Escalate, Investigate, KeepNote, PostReply, RunRunbook
from bot.models.settlement import ClosedThread
from bot.models.thread_event import Due, Postponed
from bot.runtime.acks import PendingAcks
from bot.runtime.background_tasks import cancel_all
from bot.runtime.draining import Draining
from bot.triage.controls import HaltResult
from bot.triage.effect_tasks import QUEUE, EffectTasks
from bot.triage.held_effects import is_held
from bot.triage.open_threads import OpenThreads
from bot.triage.rate_limit import RateLimiter
from bot.triage.rebuild import describe_lost
from bot.triage.step_followers import StepFollowers

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.models.effect import Effect
    from bot.models.thread import Thread
    from bot.models.thread_event import Deleted, Edited, MessageAdded, Overheard, ThreadEvent
    from bot.ports.effects import EffectRunner, OperatorNotices, ThreadRebuilder, ThreadRenderer
    from bot.ports.outbound import Store
    from bot.triage.controls import Controls, State
    from bot.triage.operators import Operators
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)


@dataclass(repr=False)
class Orchestrator:
    """Queues and effects of all threads. `open_threads` is their index."""

    store: Store
    limits: WorkflowLimits
    rebuilder: ThreadRebuilder
    notices: OperatorNotices
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    open_threads: OpenThreads = field(default_factory=OpenThreads)
    operators: Operators | None = None
    """Operators of a thread, in the order in which its question passes from one to the next."""
    controls: Controls | None = None
    """Running, paused or stopped; without controls always running."""
    projects: Projects | None = None
    """Projects, which a command may pause."""
    waiting: set[str] = field(default_factory=set)
    """Threads whose effect waits for `release`; their documents determine it."""
    acks: PendingAcks = field(default_factory=PendingAcks)
    """Pending acks to Slack, which go before the start of an investigation."""
    followers: StepFollowers = field(default_factory=StepFollowers)
    """Followers of all steps; added once they are built."""
    draining: Draining = field(default_factory=Draining)
    halting: float = 1.5
    """Seconds that a cancelled run has to end."""
    _queues: dict[str, deque[tuple[ThreadEvent, asyncio.Future[Transition] | None]]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _effect_tasks: EffectTasks = field(default_factory=EffectTasks)
    _effects: EffectRunner | None = None
    _renderer: ThreadRenderer | None = None

    def attach(self, *, effects: EffectRunner, renderer: ThreadRenderer) -> None:
        """Connect the effect runner and the renderer, once, before the first event; both need these queues."""
        if self._effects or self._renderer:
            raise RuntimeError("the orchestrator has its effect runner and its renderer already")
        self._effects, self._renderer = effects, renderer

    async def submit(self, thread_id: str, event: ThreadEvent) -> Transition:
        """Apply an event in its thread's queue; return the transition."""
        done: asyncio.Future[Transition] = asyncio.get_running_loop().create_future()
        self._enqueue(thread_id, event, done)
        return await done

    def tell(self, thread_id: str, event: ThreadEvent) -> None:
        """Queue an event without waiting for the transition."""
        self._enqueue(thread_id, event, None)

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Apply a message; return whether it changed anything (`Threads`)."""
        return (await self.submit(thread_id, message)).accepted

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Apply an edit or a deletion; return whether it changed anything (`Threads`)."""
        return (await self.submit(thread_id, revision)).accepted

    def is_open(self, thread_id: str) -> bool:
        """Return whether this thread has work outstanding (`Threads`)."""
        return self.open_threads.is_open(thread_id)

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Return whether this person asked the question of this thread (`Threads`)."""
        return self.open_threads.is_asker(thread_id, sender_id)

    def find_thread(self, channel: str, ts: str) -> str | None:
        """Return the thread that this message joined, if known (`Threads`)."""
        return self.open_threads.find_thread(channel, ts)

    async def start(self) -> int:
        """Read every document and resume its work; return the number of open threads."""
        async for thread_id, document in self.store.threads():
            if isinstance(document, ClosedThread):
                self.open_threads.remember(document)
                continue
            thread = document or await self._load(thread_id)
            if thread is None:
                continue
            self.open_threads.note(thread)
            self.rate_limiter.restore(thread)
            if effect := resume(thread):
                self._start(thread, effect)
            for side in list_side_effects(thread):
                self._start(thread, side)
            if thread.lacks_views or thread.status == "pending-user":  # a card deleted by hand comes back
                self.redraw(thread, look_up=True)
        return len(self.open_threads)

    async def halt(self) -> HaltResult:
        """Cancel all work but notes before replies, and runbooks; `release` resumes from the documents."""
        runs, replies, fixes, ending = self._effect_tasks.halt()
        self.waiting.update(runs, replies, fixes)
        unfinished = (await asyncio.wait(ending, timeout=self.halting))[1] if ending else ()
        runbooks = self._effect_tasks.list_runbooks()
        return HaltResult(tuple(runs), tuple(replies), len(unfinished), runbooks, tuple(fixes))

    async def release(self) -> tuple[str, ...]:
        """Start the effects that waited; return the threads whose approved reply their operator must review first."""
        waiting, self.waiting = sorted(self.waiting), set()
        unposted = []
        for thread_id in waiting:
            if (thread := await self._load(thread_id)) is None:
                continue
            effect, effects = resume(thread), self._effect_tasks.list_missing(thread)
            if isinstance(effect, PostReply | KeepNote):
                unposted.append(thread_id)
            elif effect and not self._effect_tasks.is_running(thread_id):
                effects.append(effect)
            for each in effects:
                self._start(thread, each)
            if effects:
                self.redraw(thread)  # its card says whether it waits
        self.open_threads.tasks.release()
        return tuple(unposted)

    def state(self) -> State:
        """Return the state that an admin has set last (`triage/controls`)."""
        return self.controls.state if self.controls else "running"

    def why_held(self, thread: Thread) -> str | None:
        """Return why the effect of this thread waits, `None` if none does."""
        if thread.thread_id not in self.waiting:
            return None
        if self.state() != "running":
            effect = "ends the pause" if self.state() == "paused" else "starts it again"
            return f"Triage is {self.state()}; `/triage resume` {effect}"
        return self._why_paused(thread)

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Bring every view of a thread up to this document, soon."""
        if self._renderer is None:
            raise RuntimeError("the orchestrator has no renderer yet")
        self._renderer.redraw(thread, look_up=look_up)

    def notify(self, text: str) -> None:
        """Send the operator a notice, as mrkdwn, in the background."""
        self._spawn(self.notices.tell(text), "notice")

    async def drain(self, seconds: float) -> int:
        """Start no investigation and no runbook any more, and let what is under way end; return the number of runs and
        replies that have not ended by then. The next start resumes from the documents."""
        self.draining.begin()
        return await self._effect_tasks.drain(self._tasks, seconds)

    async def stop(self) -> None:
        """Cancel all tasks; the next start resumes from the documents."""
        await cancel_all(self._tasks)

    def _enqueue(self, thread_id: str, event: ThreadEvent, done: asyncio.Future[Transition] | None) -> None:
        if thread_id in self._queues:
            self._queues[thread_id].append((event, done))
            return
        self._queues[thread_id] = deque([(event, done)])
        self._spawn(self._drain(thread_id), f"{QUEUE}{thread_id}")

    async def _drain(self, thread_id: str) -> None:
        queue = self._queues[thread_id]
        try:
            while queue:
                event, done = queue.popleft()
                try:
                    step = await self._apply(thread_id, event)
                except Exception as problem:
                    log.exception("thread %s: %s was not settled", thread_id, type(event).__name__)
                    if done and not done.done():
                        done.set_exception(problem)
                else:
                    if done and not done.done():
                        done.set_result(step)
        finally:
            del self._queues[thread_id]

    async def _apply(self, thread_id: str, event: ThreadEvent) -> Transition:
        thread = await self._load(thread_id)
        timed = self.rate_limiter.delay_if_limited(thread, event)
        if isinstance(timed, Due) and thread:
            asked = self.operators if thread.status == "pending-user" else None
            operators = asked.operators_of(thread) if asked else ()
            timed = replace(timed, operators=operators, is_held=thread_id in self.waiting)
        is_stopped = self.state() == "stopped"
        limits = replace(self.limits, is_stopped=True) if is_stopped != self.limits.is_stopped else self.limits
        step = advance(thread, timed, limits)
        if step.thread is None or step.thread is thread:
            if step.thread and isinstance(event, Due):
                self.open_threads.note(step.thread)  # the clock was set back, so it is due again later
            return step
        await self.followers.record(thread, step.thread)
        try:
            saved = await self.store.save(step.thread)
        except Conflict:  # retention has just removed the document: decide again without it
            return await self._apply(thread_id, event)
        self.open_threads.note(saved)
        self._effect_tasks.end_other_run(saved)
        if resume(saved) is None and not list_side_effects(saved):
            self.waiting.discard(thread_id)
        if saved.held_back:
            self._effect_tasks.hold_back(thread_id)
        if step.effect:
            self._start(saved, step.effect)
        if thread is None or saved.revisions != thread.revisions:  # else a redraw was already requested
            self.redraw(saved)
        self.followers.follow(thread, saved)
        if isinstance(timed, Postponed) and (
            news := self.rate_limiter.backlog_notice(saved, self.open_threads.waiting)
        ):
            self._spawn(self.notices.tell(news), f"notice {thread_id}")
        return replace(step, thread=saved)

    async def _load(self, thread_id: str) -> Thread | None:
        """Load the newest document; one that does not parse is quarantined and rebuilt from the journals."""
        try:
            return await self.store.load(thread_id)
        except Unreadable as problem:
            thread = await self.rebuilder.rebuild(thread_id)  # first: a crash must not cost both
            backup = await self.store.quarantine(thread_id)
            saved = await self.store.save(thread) if thread else None
            self._spawn(self.notices.tell(describe_lost(problem, backup, saved)), f"notice {thread_id}")
            return saved

    def _start(self, thread: Thread, effect: Effect) -> None:
        if self._effects is None:
            raise RuntimeError("the orchestrator has no effect runner yet")
        if self.draining.is_on and isinstance(effect, Investigate | Escalate | RunRunbook | DraftFix):
            return
        is_paused = self._why_paused(thread) is not None
        if is_held(effect, self.state(), self._effects, is_project_paused=is_paused):
            self.waiting.add(thread.thread_id)
            return
        task = self._spawn(self._do(self._effects, thread, effect), f"{type(effect).__name__} {thread.thread_id}")
        self._effect_tasks.add(thread.thread_id, effect, task)

    async def _do(self, effects: EffectRunner, thread: Thread, effect: Effect) -> None:
        try:
            if isinstance(effect, Investigate | Escalate | CheckFindings):
                await self.acks.wait_turn()
            event = await effects.run(thread, effect)
        except Exception:
            log.exception("thread %s: %s failed", thread.thread_id, type(effect).__name__)
            return
        if event:
            self.tell(thread.thread_id, event)

    def _why_paused(self, thread: Thread) -> str | None:
        return self.projects.why_waits(thread) if self.projects else None

    @property
    def running(self) -> int:
        """Number of runs that are alive, drafts of fixes included."""
        return self._effect_tasks.running

    def _spawn(self, work: Awaitable[None], name: str) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        task.set_name(name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
