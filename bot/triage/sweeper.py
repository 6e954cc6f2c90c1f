"""The sweeper: turns the `due_at` of a document into a `Due`. The only timer that threads have.

When the clock was set back, here or while the bot was away, those threads are told too whose waits end further ahead
than such waits last, be they seconds or a card's days: the workflow sets their times right.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.decide.workflow.waiting import latest_due
from bot.models.thread_event import Due

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.ports.outbound import Clock
    from bot.triage.orchestrator import Orchestrator

IDLE = 60.0
"""Seconds between looks at most, so that a machine that slept, or whose clock was set, is not late by more."""


async def sweep(orchestrator: Orchestrator, clock: Clock, new_id: Callable[[], str]) -> None:
    """Tell each thread when it is due, until cancelled."""
    threads = orchestrator.open_threads
    before: datetime | None = None
    while True:
        threads.changed.clear()
        now = clock.now()
        due = threads.take_due(now)
        if before is None or now < before:
            late = threads.undecided_after(latest_due(now, orchestrator.limits))
            due = [*dict.fromkeys([*due, *threads.brief(), *late])]
        for thread_id in due:
            await orchestrator.acks.given()
            orchestrator.tell(thread_id, Due(at=now, fresh=new_id()))
        before, due_at = now, threads.next_due()
        wait = min(IDLE, (due_at - now).total_seconds()) if due_at else IDLE
        await _first(clock.sleep(wait), threads.changed.wait())


async def _first(*waits: object) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]  # type: ignore[call-overload]  # both are coroutines
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
