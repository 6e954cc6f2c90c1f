"""Tasks of running effects, by thread: investigations, checks and replies."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.models.effect import CheckFindings, Escalate, Investigate, KeepNote, PostReply, RunRunbook

if TYPE_CHECKING:
    from collections.abc import Collection

    from bot.models.effect import Effect
    from bot.models.thread import Thread

QUEUE = "queue "
"""Beginning of the name of the task of a thread's queue."""


@dataclass
class EffectTasks:
    """At most one run and one reply of each thread, and runbooks; effects of other kinds are not tracked."""

    _runs: dict[str, tuple[str, asyncio.Task[None]]] = field(default_factory=dict)
    _replies: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _notes: set[asyncio.Task[None]] = field(default_factory=set)
    """Replies that keep a note first, which no halt cancels."""
    _runbooks: dict[str, str] = field(default_factory=dict)
    """Threads of the runbooks that run, by run id; no halt cancels these."""

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
        elif isinstance(effect, RunRunbook):
            self._runbooks[effect.run_id] = thread_id
            task.add_done_callback(lambda _: self._runbooks.pop(effect.run_id, None))

    def list_runbooks(self) -> tuple[str, ...]:
        """Return the threads whose runbook runs, or is waited for."""
        return tuple(sorted({*self._runbooks.values()}))

    def has_runbook(self, run_id: str) -> bool:
        """Return whether a runbook runs, or is waited for."""
        return run_id in self._runbooks

    def is_running(self, thread_id: str) -> bool:
        """Return whether a run of this thread is alive."""
        _, task = self._runs.get(thread_id, (None, None))
        return task is not None and not task.done()

    @property
    def running(self) -> int:
        """Number of runs that are alive."""
        return sum(not task.done() for _, task in self._runs.values())

    def list_short(self) -> list[asyncio.Task[None]]:
        """Return the tasks that end with the bot: runs of tier 1, checks and replies."""
        runs = [task for _, task in self._runs.values() if task not in self._long]
        return [task for task in (*runs, *self._replies.values()) if not task.done()]

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
        """Cancel the run that the document no longer names."""
        run_id, task = self._runs.get(thread.thread_id, (None, None))
        if task and (task.done() or run_id != thread.run_id):
            task.cancel()
            del self._runs[thread.thread_id]

    def hold_back(self, thread_id: str) -> None:
        """Cancel a reply that is not to be posted now, unless it keeps a note first."""
        if (reply := self._replies.pop(thread_id, None)) and reply not in self._notes:
            reply.cancel()

    def halt(self) -> tuple[list[str], list[str], list[asyncio.Task[None]]]:
        """Cancel runs and replies, but no note; return the threads of each, and the cancelled tasks."""
        runs = {thread_id: task for thread_id, (_, task) in self._runs.items() if not task.done()}
        replies = {thread_id: task for thread_id, task in self._replies.items() if not task.done()}
        self._runs.clear()
        self._replies.clear()
        ending = [*runs.values(), *(task for task in replies.values() if task not in self._notes)]
        for task in ending:
            task.cancel()
        return sorted(runs), sorted(replies), ending

    def _forget_reply(self, thread_id: str, task: asyncio.Task[None]) -> None:
        self._notes.discard(task)
        if self._replies.get(thread_id) is task:
            del self._replies[thread_id]
