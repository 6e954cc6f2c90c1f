"""The sweeper: submits a `Due` event when a document's `due_at` is reached. The only timer of threads.

After the clock was set back, threads whose `due_at` is further ahead than such a wait can last get a `Due` too, and the
workflow corrects their times.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.decide.workflow.waiting import latest_due
from bot.models.thread_event import Due

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ports.outbound import Clock
    from bot.triage.orchestrator import Orchestrator

IDLE = 60.0
"""Maximum of seconds between checks, so that sleep or a changed clock delays no thread by more."""


async def sweep(orchestrator: Orchestrator, clock: Clock) -> None:
    """Submit a `Due` event to each thread that is due, until cancelled."""
    threads = orchestrator.open_threads
    before: datetime | None = None
    while True:
        threads.changed.clear()
        now = clock.now()
        due = threads.take_due(now)
        if before is None or now < before:
            overdue = threads.undecided_after(latest_due(now, orchestrator.limits))
            due = [*dict.fromkeys([*due, *threads.brief(), *overdue])]
        for thread_id in due:
            await orchestrator.acks.wait_turn()
            orchestrator.tell(thread_id, Due(at=now, fresh=clock.new_id()))
        before, due_at = now, threads.next_due()
        wait = min(IDLE, (due_at - now).total_seconds()) if due_at else IDLE
        await _wait_for_first(clock.sleep(wait), threads.changed.wait())


async def _wait_for_first(*waits: object) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]  # type: ignore[call-overload]  # both are coroutines
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
