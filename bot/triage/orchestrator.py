"""The orchestrator: one ordered queue per thread, each step a matter of milliseconds.

Each step loads the document, decides, saves, then starts the effect as its own task; the effect's result is the next
event. Nothing here waits for work: a press or a follow-up is handled at once while an investigation runs.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.decide.workflow import Transition, WorkflowLimits, advance, resume
from bot.errors import Conflict, Unreadable
from bot.models.effect import CheckFindings, Investigate, KeepNote, PostReply
from bot.models.settlement import Settled
from bot.models.thread_event import Due, Postponed
from bot.runtime.acks import Acks
from bot.triage.controls import Halted
from bot.triage.open_threads import OpenThreads
from bot.triage.rate_limit import Floodgate

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from bot.models.effect import Effect
    from bot.models.thread import Thread
    from bot.models.thread_event import Deleted, Edited, Happening, MessageAdded, Overheard
    from bot.ports.effects import Redraw, RunEffect
    from bot.ports.outbound import Store
    from bot.triage.controls import State

log = logging.getLogger(__name__)

WAITING: dict[State, tuple[type[Effect], ...]] = {
    "running": (),
    "paused": (Investigate,),
    "stopped": (Investigate, CheckFindings, PostReply, KeepNote),
}
"""Effects that wait for `release`, by state; the others only read."""


@dataclass
class Orchestrator:
    """Queues and effects of all threads. `open_threads` is their index."""

    store: Store
    limits: WorkflowLimits
    run_effect: RunEffect
    redraw: Redraw
    rebuild: Callable[[str], Awaitable[Thread | None]]
    """Function that rebuilds a thread from the journals, without saving it."""
    tell_operator: Callable[[str], Awaitable[None]]
    floodgate: Floodgate = field(default_factory=Floodgate)
    open_threads: OpenThreads = field(default_factory=OpenThreads)
    operators: Callable[[Thread], tuple[str, ...]] = lambda _: ()
    """Operators of a thread, in the order in which the question is passed on."""
    state: Callable[[], State] = lambda: "running"
    """Current state as set by an admin (`triage/controls`)."""
    waits: Callable[[Thread], str | None] = lambda _: None
    """Reason why a question must wait although Triage is running, if any (`Projects.why_waits`)."""
    held: set[str] = field(default_factory=set)
    """Threads whose effect waits for `release`; their documents determine it."""
    acks: Acks = field(default_factory=Acks)
    """Pending acks to Slack, which go before the start of an investigation."""
    halting: float = 1.5
    """Seconds that a cancelled run has to end."""
    _queues: dict[str, deque[tuple[Happening, asyncio.Future[Transition] | None]]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _runs: dict[str, tuple[str, asyncio.Task[None]]] = field(default_factory=dict)
    _posts: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    """Tasks that post approved replies, by thread."""
    _notes: set[asyncio.Task[None]] = field(default_factory=set)
    """Those of them that write the note first."""

    async def submit(self, thread_id: str, happening: Happening) -> Transition:
        """Apply an event in its thread's queue; return the transition."""
        done: asyncio.Future[Transition] = asyncio.get_running_loop().create_future()
        self._enqueue(thread_id, happening, done)
        return await done

    def tell(self, thread_id: str, happening: Happening) -> None:
        """Queue an event without waiting for the transition."""
        self._enqueue(thread_id, happening, None)

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Apply a message; return whether it changed anything (`Threads`)."""
        return (await self.submit(thread_id, message)).accepted

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Apply an edit or a deletion; return whether it changed anything (`Threads`)."""
        return (await self.submit(thread_id, revision)).accepted

    def is_open(self, thread_id: str) -> bool:
        """Return whether this thread has work outstanding (`Threads`)."""
        return self.open_threads.is_open(thread_id)

    def concerns(self, thread_id: str, sender_id: str) -> bool:
        """Return whether this person asked the question of this thread (`Threads`)."""
        return self.open_threads.concerns(thread_id, sender_id)

    def home_of(self, channel: str, ts: str) -> str | None:
        """Return the thread that this message joined, if known (`Threads`)."""
        return self.open_threads.home_of(channel, ts)

    async def start(self) -> int:
        """Read every document and resume its work; return the number of open threads."""
        async for thread_id, found in self.store.threads():
            if isinstance(found, Settled):
                self.open_threads.remember(found)
                continue
            thread = found or await self._load(thread_id)
            if thread is None:
                continue
            self.open_threads.note(thread)
            self.floodgate.restore(thread)
            if effect := resume(thread):
                self._start(thread, effect)
            behind = thread.is_behind or any(not mark.is_settled for mark in thread.marks)
            behind = behind or bool(thread.asker_line and not thread.asker_line.is_begun)
            if behind or thread.status == "pending-user":  # a card deleted by hand comes back
                self.redraw(thread, look_up=True)
        return len(self.open_threads)

    async def halt(self) -> Halted:
        """Cancel runs and replies, but no note that comes before a reply; `release` resumes from the documents."""
        runs = {thread_id: task for thread_id, (_, task) in self._runs.items() if not task.done()}
        posts = {thread_id: task for thread_id, task in self._posts.items() if not task.done()}
        self._runs.clear()
        self._posts.clear()
        self.held.update(runs, posts)
        ending = [*runs.values(), *(task for task in posts.values() if task not in self._notes)]
        for task in ending:
            task.cancel()
        late = (await asyncio.wait(ending, timeout=self.halting))[1] if ending else ()
        return Halted(runs=tuple(sorted(runs)), posts=tuple(sorted(posts)), late=len(late))

    async def release(self) -> tuple[str, ...]:
        """Start the effects that waited; return the threads whose approved reply their operator must review first."""
        held, self.held = sorted(self.held), set()
        unposted = []
        for thread_id in held:
            thread = await self._load(thread_id)
            effect = resume(thread) if thread else None
            if isinstance(effect, PostReply | KeepNote):
                unposted.append(thread_id)
            elif thread and effect and not self._is_running(thread_id):
                self._start(thread, effect)
                self.redraw(thread)  # its card says whether it waits
        return tuple(unposted)

    def why_held(self, thread: Thread) -> str | None:
        """Return why the effect of this thread waits, `None` if none does."""
        if thread.thread_id not in self.held:
            return None
        if self.state() != "running":
            return f"Triage is {self.state()}; `/triage resume` goes on"
        return self.waits(thread)

    def notify(self, text: str) -> None:
        """Send the operator a notice in the background; `text` is mrkdwn."""
        self._spawn(self.tell_operator(text), "notice")

    async def stop(self) -> None:
        """Cancel all tasks; the next start resumes from the documents."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _enqueue(self, thread_id: str, happening: Happening, done: asyncio.Future[Transition] | None) -> None:
        if thread_id in self._queues:
            self._queues[thread_id].append((happening, done))
            return
        self._queues[thread_id] = deque([(happening, done)])
        self._spawn(self._drain(thread_id), f"queue {thread_id}")

    async def _drain(self, thread_id: str) -> None:
        queue = self._queues[thread_id]
        try:
            while queue:
                happening, done = queue.popleft()
                try:
                    step = await self._settle(thread_id, happening)
                except Exception as problem:
                    log.exception("thread %s: %s was not settled", thread_id, type(happening).__name__)
                    if done and not done.done():
                        done.set_exception(problem)
                else:
                    if done and not done.done():
                        done.set_result(step)
        finally:
            del self._queues[thread_id]

    async def _settle(self, thread_id: str, happening: Happening) -> Transition:
        thread = await self._load(thread_id)
        timed = self.floodgate.timed(thread, happening)
        if isinstance(timed, Due) and thread:
            operators = self.operators(thread) if thread.status == "pending-user" else ()
            timed = replace(timed, operators=operators, is_held=thread_id in self.held)
        is_stopped = self.state() == "stopped"
        limits = replace(self.limits, is_stopped=True) if is_stopped != self.limits.is_stopped else self.limits
        step = advance(thread, timed, limits)
        if step.thread is None or step.thread is thread:
            if step.thread and isinstance(happening, Due):
                self.open_threads.note(step.thread)  # the clock was set back, so it is due again later
            return step
        try:
            saved = await self.store.save(step.thread)
        except Conflict:  # retention has just removed the document: decide again without it
            return await self._settle(thread_id, happening)
        self.open_threads.note(saved)
        self._end_other_run(saved)
        if resume(saved) is None:
            self.held.discard(thread_id)
        if saved.held_back and (post := self._posts.pop(thread_id, None)) and post not in self._notes:
            post.cancel()
        if step.effect:
            self._start(saved, step.effect)
        if thread is None or saved.revision != thread.revision:  # else a redraw was already requested
            self.redraw(saved)
        if isinstance(timed, Postponed) and (news := self.floodgate.news(saved, self.open_threads.waiting)):
            self._spawn(self.tell_operator(news), f"notice {thread_id}")
        return replace(step, thread=saved)

    async def _load(self, thread_id: str) -> Thread | None:
        """Load the newest document; one that does not parse is quarantined and rebuilt from the journals."""
        try:
            return await self.store.load(thread_id)
        except Unreadable as problem:
            thread = await self.rebuild(thread_id)  # first, since it may take long, and a crash must not cost both
            aside = await self.store.quarantine(thread_id)
            saved = await self.store.save(thread) if thread else None
            self._spawn(self.tell_operator(_lost(problem, aside, saved)), f"notice {thread_id}")
            return saved

    def _start(self, thread: Thread, effect: Effect) -> None:
        if isinstance(effect, WAITING[self.state()]) or (isinstance(effect, Investigate) and self.waits(thread)):
            self.held.add(thread.thread_id)
            return
        task = self._spawn(self._do(thread, effect), f"{type(effect).__name__} {thread.thread_id}")
        if isinstance(effect, Investigate | CheckFindings):
            self._runs[thread.thread_id] = (effect.run_id, task)
        elif isinstance(effect, PostReply | KeepNote):
            self._posts[thread.thread_id] = task
            if isinstance(effect, KeepNote):
                self._notes.add(task)
            task.add_done_callback(lambda _: self._posted(thread.thread_id, task))

    async def _do(self, thread: Thread, effect: Effect) -> None:
        try:
            if isinstance(effect, Investigate | CheckFindings):
                await self.acks.given()
            happening = await self.run_effect(thread, effect)
        except Exception:
            log.exception("thread %s: %s broke", thread.thread_id, type(effect).__name__)
            return
        if happening:
            self.tell(thread.thread_id, happening)

    def _posted(self, thread_id: str, task: asyncio.Task[None]) -> None:
        self._notes.discard(task)
        if self._posts.get(thread_id) is task:
            del self._posts[thread_id]

    def _is_running(self, thread_id: str) -> bool:
        _, task = self._runs.get(thread_id, (None, None))
        return task is not None and not task.done()

    @property
    def running(self) -> int:
        """Return the number of active runs."""
        return sum(not task.done() for _, task in self._runs.values())

    def _end_other_run(self, thread: Thread) -> None:
        """Cancel the thread's run if the document no longer names it."""
        run_id, task = self._runs.get(thread.thread_id, (None, None))
        if task and (task.done() or run_id != thread.run_id):
            task.cancel()
            del self._runs[thread.thread_id]

    def _spawn(self, work: Awaitable[None], name: str) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        task.set_name(name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _lost(problem: Unreadable, aside: Path, saved: Thread | None) -> str:
    """Build the operator's notice about a document that did not parse."""
    made = (
        f"It was rebuilt from the journals and is {saved.status}." if saved else "The journals have nothing about it."
    )
    return escape(f"The state of a thread could not be read ({problem}). {made} The file was moved to {aside}.")
