"""Scheduler of created tasks: starts those that are ready in the free slots of agents, at every change.

It saves no state: the documents say which tasks wait, which run, and with which agent. A start is an
event of the thread, which counts once.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.decide.task_schedule import NO_PROJECT
from bot.errors import TriageError
from bot.models.task_event import TaskStarted
from bot.runtime.retry import sleep_unless
from bot.tasks.dependencies import Dependencies
from bot.tasks.order_book import follow_task
from bot.tasks.task_planner import TaskPlanner

if TYPE_CHECKING:
    from bot.decide.task_schedule import TaskStart
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.tasks.agent_book import AgentBook
    from bot.tasks.creator_notices import CreatorNotices
    from bot.tasks.day_budget import DayBudget
    from bot.tasks.order_book import OrderBook
    from bot.triage.controls import Controls
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.projects import Projects
    from bot.triage.task_index import TaskIndex

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds until a start that failed is tried again."""


@dataclass(kw_only=True, repr=False)
class TaskScheduler:
    """Starter of tasks; everything happens in one task."""

    orchestrator: Orchestrator
    controls: Controls
    projects: Projects
    agents: AgentBook
    orders: OrderBook
    budget: DayBudget
    notices: CreatorNotices
    clock: Clock
    planner: TaskPlanner = field(init=False)
    _orphans: set[str] = field(default_factory=set)
    """Tasks whose first message was deleted, and whose creators know."""
    _sending: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Start without any dependency read."""
        self.planner = TaskPlanner(
            tasks=self.tasks,
            controls=self.controls,
            projects=self.projects,
            agents=self.agents,
            budget=self.budget,
            dependencies=Dependencies(store=self.orchestrator.store),
        )

    @property
    def tasks(self) -> TaskIndex:
        """Return the open tasks."""
        return self.orchestrator.open_threads.tasks

    async def begin(self) -> None:
        """Load the agents."""
        await self.agents.load()

    async def run(self) -> None:
        """Start what is ready, at every change, until cancelled."""
        self._orphans = {name for name, thread in self.tasks.open.items() if _is_orphan(thread)}
        while True:
            self.tasks.news.clear()
            try:
                await self.start_ready()
            except TriageError as problem:
                log.warning("tasks: %s; again in %.0f s", problem, EVERY)
                await sleep_unless(self.clock, EVERY, unless=self.tasks.news)
            else:
                await self._wait()

    def wake(self) -> None:
        """Look again: a slot, a project or money may be free."""
        self.tasks.news.set()

    async def start_ready(self) -> int:
        """Start the tasks that are ready, as far as there are slots; return their number."""
        self._follow_changes()
        started = 0
        for start in (await self.planner.plan()).starts:
            thread = self.tasks.open.get(start.task.thread_id)
            started += thread is not None and await self._start(start, thread)
        return started

    def _follow_changes(self) -> None:
        """Forget what changed, and let orders without a thread be tried again."""
        for thread_id in self.tasks.take_removed():
            self.planner.dependencies.forget(thread_id)
            self.orders.replace([record for record in self.orders.records if record.thread_id != thread_id])
        if self.tasks.take_release():
            self.orders.news.set()
        for thread in self.tasks.take_changes():
            self.planner.dependencies.forget(thread.thread_id)
            order = thread.order
            if order:
                follow_task(self.orders, thread, order)
            if order and _is_orphan(thread) and thread.thread_id not in self._orphans:
                self._orphans.add(thread.thread_id)
                self._tell(thread, order.created_by)

    async def _start(self, start: TaskStart, thread: Thread) -> bool:
        inputs = await self.planner.dependencies.read_results(thread.order) if thread.order else ()
        event = TaskStarted(at=self.clock.now(), fresh=self.clock.new_id(), agent=start.agent, inputs=inputs)
        if not (await self.orchestrator.submit(thread.thread_id, event)).accepted:
            return False  # it was changed meanwhile, and the change looks again
        await self.agents.note_start(start.task.project or NO_PROJECT)
        return True

    async def _wait(self) -> None:
        """Wait for a change, or for the money of the next day."""
        ends = self.budget.day_ends if self.budget.is_used_up else None
        if ends is None:
            await self.tasks.news.wait()
        else:
            seconds = (ends - self.clock.now()).total_seconds()
            await sleep_unless(self.clock, max(seconds, 0.0) + 1, unless=self.tasks.news)

    def _tell(self, thread: Thread, user: str) -> None:
        """Tell a person that the first message of their task was deleted."""
        title = escape(clip(thread.order.title if thread.order else thread.task, 120))
        text = (
            f"The first message of the task *{title}* was deleted. The task goes on, and its operator decides on the "
            f"result; `/triage get_task_result {thread.task}` shows it."
        )
        sending = asyncio.create_task(self.notices.tell(user, text), name=f"notice {thread.thread_id}")
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)


def _is_orphan(thread: Thread) -> bool:
    return thread.order is not None and thread.order.is_message_deleted
