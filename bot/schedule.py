"""The schedule: what is done from time to time, such as retention. Time of a thread is the sweeper's instead.

Built and run by `app`. When each job ran last is kept in `schedule.json`, so that what was missed while the bot was
down is made up for at start, once.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import timedelta

    from bot.ports import Clock, Kept

log = logging.getLogger(__name__)

LOOK_EVERY = 60.0
"""Seconds between two looks at the clock, which may be set and may sleep with its machine."""


@dataclass(frozen=True)
class Job:
    """Something that is done every so often."""

    name: str
    every: timedelta
    work: Callable[[], Awaitable[None]]


async def run(jobs: Sequence[Job], *, clock: Clock, kept: Kept) -> None:
    """Do each job when it is due, one after another, until cancelled; one that breaks comes again at its next time."""
    last = _moments(await kept.read())
    while True:
        for job in jobs:
            now = clock.now()
            if not _is_due(last.get(job.name), job.every, now):
                continue
            try:
                await job.work()
            except Exception:
                log.exception("%s broke; it is tried again at its next time", job.name)
            last[job.name] = now
            try:
                await kept.write({name: at.isoformat() for name, at in last.items()})
            except TriageError as problem:
                log.warning("when %s ran was not noted: %s", job.name, problem)
        await clock.sleep(LOOK_EVERY)


def _is_due(last: datetime | None, every: timedelta, now: datetime) -> bool:
    """Never done yet, done long enough ago, or at a time that is still to come since the clock was set back."""
    return last is None or not last <= now < last + every


def _moments(said: dict[str, Any]) -> dict[str, datetime]:
    found = {}
    for name, text in said.items():
        try:
            at = datetime.fromisoformat(text)
        except (TypeError, ValueError):
            continue
        if at.tzinfo:
            found[name] = at
    return found
