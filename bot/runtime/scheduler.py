"""The schedule: what is done from time to time, such as retention. Time of a thread is the sweeper's instead.

Built and run by `wiring/app`. When each job ran last is kept in `schedule.json`, so that what was missed while the bot
was down is made up for at start, once. A job at a time of day is done once for each day, whatever clock and process do;
how long a day may be made up for is `decide/calendar`'s to say.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from bot.decide.calendar import At, day_due
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import timedelta

    from bot.ports.outbound import Clock, Kept

log = logging.getLogger(__name__)

LOOK_EVERY = 60.0
"""Seconds between two looks at the clock, which may be set and may sleep with its machine."""

DAYS_KEPT = 14
"""How many of the days that are done are remembered, for a clock that is set back."""


@dataclass(frozen=True)
class Job:
    """Something that is done every so often."""

    name: str
    every: timedelta
    work: Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class DayJob:
    """Something that is done once a day, or on one weekday, at its time; `work` is told for which day.

    One that breaks is tried again at the next look. A crash may come between the work and the note of it, so `work`
    finds out by itself whether the day's is done.
    """

    name: str
    at: At
    work: Callable[[date], Awaitable[None]]


async def run(
    jobs: Sequence[Job | DayJob], *, clock: Clock, kept: Kept, more: Callable[[], Sequence[Job]] = tuple
) -> None:
    """Do each job when it is due, one after another, until cancelled; one that breaks comes again at its next time.

    `more` are those that come and go.
    """
    notes = _Notes(kept, await kept.read())
    for job in jobs:
        if isinstance(job, DayJob) and job.name not in notes.said:  # it is new: what was before it is not its own
            day = job.at.day(clock.now())
            await notes.write(job.name, [day.isoformat()] if clock.now() >= job.at.moment(day) else [])
    while True:
        for job in (*jobs, *more()):
            if isinstance(job, DayJob):
                await _do_day(job, notes, clock)
            elif _is_due(_moment(notes.said.get(job.name)), job.every, now := clock.now()):
                try:
                    await job.work()
                except Exception:
                    log.exception("%s broke; it is tried again at its next time", job.name)
                await notes.write(job.name, now.isoformat())
        await clock.sleep(LOOK_EVERY)


async def _do_day(job: DayJob, notes: _Notes, clock: Clock) -> None:
    done = _days(notes.said.get(job.name))
    day = day_due(job.at, done, clock.now())
    if day is None:
        return
    try:
        await job.work(day)
    except TriageError as problem:
        log.warning("%s of %s was not done: %s; it is tried again", job.name, day, problem)
        return
    except Exception:
        log.exception("%s of %s broke, and is left out", job.name, day)
    await notes.write(job.name, [each.isoformat() for each in (*done, day)[-DAYS_KEPT:]])


class _Notes:
    """When each job ran last, or for which days; kept as far as the disk lets it."""

    def __init__(self, kept: Kept, said: dict[str, Any]) -> None:
        self._kept = kept
        self.said = said

    async def write(self, name: str, said: Any) -> None:
        self.said = {**self.said, name: said}
        try:
            await self._kept.write(self.said)
        except TriageError as problem:
            log.warning("when %s ran was not noted: %s", name, problem)


def _is_due(last: datetime | None, every: timedelta, now: datetime) -> bool:
    """Never done yet, done long enough ago, or at a time that is still to come since the clock was set back."""
    return last is None or not last <= now < last + every


def _moment(said: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(said)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else None


def _days(said: Any) -> list[date]:
    """The days that are noted; one that does not parse is left out."""
    found = []
    for text in said if isinstance(said, list) else ():
        try:
            found.append(date.fromisoformat(text))
        except (TypeError, ValueError):
            continue
    return found
