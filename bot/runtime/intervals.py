"""Schedule of many short jobs, each with its own interval, that run beside each other.

Jobs are spread evenly over their interval by a stable hash of their slots, so that two hundred of them never start
together. Nothing is made up for in a burst: what a stalled process or a suspended machine has missed is spread again,
and a clock that is set back delays a job by less than its interval.
"""

from __future__ import annotations

import asyncio
import logging
import math
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.runtime.background_tasks import cancel_all

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

MAX_RUNNING = 256
"""Default number of jobs that run at once: enough for two hundred that all wait for an answer."""
FIRST_WITHIN = 60.0
"""Seconds within which every job runs for the first time, also one with a long interval."""
_MADE_UP_WITHIN = 30.0
"""Seconds over which overdue jobs are spread."""
_OVERDUE = 2.0
"""Seconds of delay from which a job counts as overdue."""
_LONGEST_SLEEP, _SHORTEST_SLEEP = 30.0, 0.1
"""Seconds between two looks at the clock: it may be set, or stop while the machine sleeps; jobs that are due within a
tenth of a second start together."""


@dataclass(frozen=True)
class IntervalJob:
    """Job that runs once in each interval, and never twice at once."""

    name: str
    every_s: float
    """Seconds between two starts."""
    work: Callable[[], Awaitable[None]]
    slot: str = ""
    """Jobs with the same slot and interval start together; by default each has its own."""


@dataclass
class IntervalFigures:
    """Figures of a schedule, since its start."""

    runs: int = 0
    skipped: int = 0
    """Number of starts left out because the job was still running."""
    latest: float = 0.0
    """Greatest delay of a start, as a share of its job's interval."""
    latest_name: str = ""


@dataclass
class _Entry:
    job: IntervalJob
    share: float
    """Position in the interval, from 0 to below 1."""
    anchor: float = 0.0
    """One of its regular times, as a timestamp."""
    due: float = 0.0
    planned_at: float = 0.0
    """Time at which `due` was set; the clock was set back if it is before that."""
    overdue_since: float | None = None
    """Time at which an overdue job should have run, while it waits for its new time."""
    is_running: bool = False

    def start_at(self, now: float) -> None:
        """Set the first time."""
        self.anchor = now + self.share * self.job.every_s
        self.due = now + self.share * min(self.job.every_s, FIRST_WITHIN)
        self.planned_at, self.overdue_since = now, None

    def advance(self, now: float) -> None:
        """Set the next regular time, at least half an interval away."""
        every = self.job.every_s
        self.due = self.anchor + math.ceil((now + every / 2 - self.anchor) / every) * every
        self.planned_at, self.overdue_since = now, None

    def is_due(self, now: float) -> bool:
        """Return whether to run now; give a new time to an overdue job, and to all if the clock was set back."""
        if now < self.planned_at - _OVERDUE:
            self.start_at(now)
        elif self.overdue_since is None and self.due < now - _OVERDUE:
            self.overdue_since = self.due
            self.due = now + self.share * min(self.job.every_s / 2, _MADE_UP_WITHIN)
        return self.due <= now


@dataclass
class _Schedule:
    clock: Clock
    entries: Sequence[_Entry]
    figures: IntervalFigures
    seats: asyncio.Semaphore
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self) -> None:
        now = self._now()
        for entry in self.entries:
            entry.start_at(now)
        while True:
            now = self._now()
            for entry in self.entries:
                if entry.is_due(now):
                    self._start(entry, now)
            next_due = min((entry.due for entry in self.entries), default=math.inf)
            await self.clock.sleep(min(max(next_due - now, _SHORTEST_SLEEP), _LONGEST_SLEEP))

    def _now(self) -> float:
        return self.clock.now().timestamp()

    def _start(self, entry: _Entry, now: float) -> None:
        planned = entry.due if entry.overdue_since is None else entry.overdue_since
        entry.advance(now)
        if entry.is_running:
            self.figures.skipped += 1
            return
        entry.is_running = True
        task = asyncio.create_task(self._work(entry, planned), name=entry.job.name)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _work(self, entry: _Entry, planned: float) -> None:
        try:
            async with self.seats:
                self._note_start(entry.job, planned)
                await entry.job.work()
        except Exception:
            log.exception("%s failed; it runs again at its next time", entry.job.name)
        finally:
            entry.is_running = False

    def _note_start(self, job: IntervalJob, planned: float) -> None:
        self.figures.runs += 1
        delay = (self._now() - planned) / job.every_s
        if delay > self.figures.latest:
            self.figures.latest, self.figures.latest_name = delay, job.name
            if delay >= 1:
                log.warning("%s starts %.0f s late, more than its interval", job.name, delay * job.every_s)


async def run_intervals(
    items: Sequence[IntervalJob],
    *,
    clock: Clock,
    max_running: int = MAX_RUNNING,
    figures: IntervalFigures | None = None,
) -> None:
    """Run each job once in its interval until cancelled; log a failed one, and run it again at its next time.

    A job that still runs at its next time is left out there. `figures` is filled as the schedule goes on.
    """
    entries = [_Entry(job, _share(job.slot or job.name)) for job in items]
    schedule = _Schedule(clock, entries, figures or IntervalFigures(), asyncio.Semaphore(max_running))
    try:
        await schedule.run()
    finally:
        await cancel_all(schedule.tasks)


def _share(slot: str) -> float:
    """Return the position of a slot in its interval, the same in every process."""
    return zlib.crc32(slot.encode()) / 2**32
