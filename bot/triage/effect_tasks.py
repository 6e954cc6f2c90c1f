"""Tasks of running effects, by thread: investigations, checks and replies."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.workflow import list_side_effects
from bot.models.effect import (
    CheckFindings,
    DraftFix,
    Escalate,
    Investigate,
    KeepNote,
    OpenMergeRequest,
    PostReply,
    RunRunbook,
    SideEffect,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from bot.models.effect import Effect
    from bot.models.thread import Thread

QUEUE = "queue "
"""Beginning of the name of the task of a thread's queue."""


@dataclass
class EffectTasks:
    """At most one run and one reply of each thread, and its side effects; effects of other kinds are not tracked."""

    _runs: dict[str, tuple[str, asyncio.Task[None]]] = field(default_factory=dict)
    _replies: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _notes: set[asyncio.Task[None]] = field(default_factory=set)
    """Replies that keep a note first, which no halt cancels."""
    _side: dict[SideEffect, tuple[str, asyncio.Task[None]]] = field(default_factory=dict)
    """Side effects that run, with their threads; a halt cancels those of fixes alone."""
    _long: set[asyncio.Task[None]] = field(default_factory=set)
    """Runs in processes of their own, which outlive the bot."""

    def add(self, thread_id: str, effect: Effect, task: asyncio.Task[None]) -> None:
        """Track the task of an effect until it ends."""
        if isinstance(effect, Investigate | Escalate | CheckFindings):
            self._runs[thread_id] = (effect.run_id, task)
            if isinstance(effect, Escalate):
                self._long.add(task)
                task.add_done_callback(self._long.discard)
        elif isinstance(effect, PostReply | KeepNote):
            self._replies[thread_id] = task
            if isinstance(effect, KeepNote):
                self._notes.add(task)
            task.add_done_callback(lambda _: self._forget_reply(thread_id, task))
        elif isinstance(effect, SideEffect):
            self._side[effect] = (thread_id, task)
            task.add_done_callback(lambda _: self._forget_side(effect, task))

    def list_runbooks(self) -> tuple[str, ...]:
        """Return the threads whose runbook runs, or is waited for."""
        return tuple(sorted({name for effect, (name, _) in self._side.items() if isinstance(effect, RunRunbook)}))

    def list_missing(self, thread: Thread) -> list[Effect]:
        """Return the side effects of a document that neither run nor are waited for."""
        return [effect for effect in list_side_effects(thread) if effect not in self._side]

    def is_running(self, thread_id: str) -> bool:
        """Return whether a run of this thread is alive."""
        _, task = self._runs.get(thread_id, (None, None))
        return task is not None and not task.done()

    @property
    def running(self) -> int:
        """Number of runs that are alive, drafts of fixes included."""
        drafts = (task for effect, (_, task) in self._side.items() if isinstance(effect, DraftFix))
        return sum(not task.done() for task in (*drafts, *(task for _, task in self._runs.values())))

    def list_short(self) -> list[asyncio.Task[None]]:
        """Return the tasks that end with the bot: runs of tier 1, checks, replies, and openings of merge requests."""
        runs = [task for _, task in self._runs.values() if task not in self._long]
        openings = [task for effect, (_, task) in self._side.items() if isinstance(effect, OpenMergeRequest)]
        return [task for task in (*runs, *self._replies.values(), *openings) if not task.done()]

    async def drain(self, all_tasks: Collection[asyncio.Task[None]], seconds: float) -> int:
        """Wait until these tasks have ended, and the queues among all tasks, which may start the next ones; return the
        number of runs and replies that have not."""
        deadline = asyncio.get_running_loop().time() + seconds
        while tasks := [*self.list_short(), *(task for task in all_tasks if task.get_name().startswith(QUEUE))]:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return len(self.list_short())
            await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        return 0

    def end_other_run(self, thread: Thread) -> None:
        """Cancel the run, and the draft of a fix, that the document no longer names."""
        run_id, task = self._runs.get(thread.thread_id, (None, None))
        if task and (task.done() or run_id != thread.run_id):
            task.cancel()
            del self._runs[thread.thread_id]
        wanted = list_side_effects(thread)
        for effect, (name, task) in self._side.items():
            if name == thread.thread_id and isinstance(effect, DraftFix) and effect not in wanted:
                task.cancel()

    def hold_back(self, thread_id: str) -> None:
        """Cancel a reply that is not to be posted now, unless it keeps a note first."""
        if (reply := self._replies.pop(thread_id, None)) and reply not in self._notes:
            reply.cancel()

    def halt(self) -> tuple[list[str], list[str], list[str], list[asyncio.Task[None]]]:
        """Cancel runs, replies and fixes, but no note; return the threads of each, and the cancelled tasks."""
        runs = {thread_id: task for thread_id, (_, task) in self._runs.items() if not task.done()}
        replies = {thread_id: task for thread_id, task in self._replies.items() if not task.done()}
        self._runs.clear()
        self._replies.clear()
        fixes = {
            name: task for each, (name, task) in self._side.items() if isinstance(each, DraftFix | OpenMergeRequest)
        }
        replying = (task for task in replies.values() if task not in self._notes)
        ending = [*runs.values(), *replying, *fixes.values()]
        for task in ending:
            task.cancel()
        return sorted(runs), sorted(replies), sorted(fixes), ending

    def _forget_side(self, effect: SideEffect, task: asyncio.Task[None]) -> None:
        if self._side.get(effect, ("", None))[1] is task:
            del self._side[effect]

    def _forget_reply(self, thread_id: str, task: asyncio.Task[None]) -> None:
        self._notes.discard(task)
        if self._replies.get(thread_id) is task:
            del self._replies[thread_id]
