"""Scheduler of periodic jobs such as retention. Timers of threads belong to the sweeper.

The time of each job's last run is kept in `schedule.json`, so that a run missed while the bot was down is made up for
at start, once. A daily job runs once for each day, even if the clock is set or the process restarts; `decide/calendar`
limits how late a day may be made up for.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from bot.decide.calendar import At, day_due
from bot.errors import TriageError
from bot.models.recorded_time import parse_time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import timedelta

    from bot.ports.outbound import Clock, JsonFile

log = logging.getLogger(__name__)

LOOK_EVERY = 60.0
"""Seconds between two looks at the clock, which may be set or stop while the machine sleeps."""

DAYS_KEPT = 14
"""Number of finished days that are remembered, in case the clock is set back."""


@dataclass(frozen=True)
class Job:
    """Periodic job."""

    name: str
    every: timedelta
    work: Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class DayJob:
    """Daily or weekly job at a set time; `work` receives the day.

    A failed job is tried again at the next look. A crash may come between the work and its record, so `work` must check
    if it was done for the day.
    """

    name: str
    at: At
    work: Callable[[date], Awaitable[None]]


async def run(
    jobs: Sequence[Job | DayJob], *, clock: Clock, state_file: JsonFile, extra_jobs: Callable[[], Sequence[Job]] = tuple
) -> None:
    """Run each job when it is due, one after another, until cancelled; a failed one runs again at its next time.

    `extra_jobs` returns the jobs that come and go.
    """
    notes = _Notes(state_file, await state_file.read())
    for job in jobs:
        if (
            isinstance(job, DayJob) and job.name not in notes.runs
        ):  # a new job: do not run it for times before it was added
            day = job.at.day(clock.now())
            await notes.write(job.name, [day.isoformat()] if clock.now() >= job.at.moment(day) else [])
    while True:
        for job in (*jobs, *extra_jobs()):
            if isinstance(job, DayJob):
                await _do_day(job, notes, clock)
            elif _is_due(parse_time(notes.runs.get(job.name)), job.every, now := clock.now()):
                try:
                    await job.work()
                except Exception:
                    log.exception("%s failed; it is tried again at its next time", job.name)
                await notes.write(job.name, now.isoformat())
        await clock.sleep(LOOK_EVERY)


async def _do_day(job: DayJob, notes: _Notes, clock: Clock) -> None:
    done = _days(notes.runs.get(job.name))
    day = day_due(job.at, done, clock.now())
    if day is None:
        return
    try:
        await job.work(day)
    except TriageError as problem:
        log.warning("%s of %s was not done: %s; it is tried again", job.name, day, problem)
        return
    except Exception:
        log.exception("%s of %s failed, and is left out", job.name, day)
    await notes.write(job.name, [each.isoformat() for each in (*done, day)[-DAYS_KEPT:]])


class _Notes:
    """Record of the last run, or of the finished days, of each job; saved if the disk allows."""

    def __init__(self, state_file: JsonFile, runs: dict[str, Any]) -> None:
        self._state_file = state_file
        self.runs = runs

    async def write(self, name: str, value: Any) -> None:
        self.runs = {**self.runs, name: value}
        try:
            await self._state_file.write(self.runs)
        except TriageError as problem:
            log.warning("when %s ran was not noted: %s", name, problem)


def _is_due(last: datetime | None, every: timedelta, now: datetime) -> bool:
    """Return whether a job never ran, ran long enough ago, or at a time in the future since the clock was set back."""
    return last is None or not last <= now < last + every


def _days(values: Any) -> list[date]:
    """Parse the recorded days; leave out those that do not parse."""
    days = []
    for text in values if isinstance(values, list) else ():
        try:
            days.append(date.fromisoformat(text))
        except (TypeError, ValueError):
            continue
    return days
