"""The schedule: what is due runs, what was missed runs once, and what breaks stops nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date, time, timedelta

import pytest

from bot.decide.calendar import At
from bot.errors import RetryLater
from bot.runtime.scheduler import DAYS_KEPT, DayJob, Job, run
from tests.builders import T0
from tests.fakes import HandClock, MemoryKept, settle

HOUR = 3_600.0


@asynccontextmanager
async def kept_up(clock: HandClock, kept: MemoryKept, work: Callable[[], None], **others: Job) -> AsyncIterator[None]:
    """A schedule with a daily job, and what else there is, until the end of the block."""

    async def do() -> None:
        work()

    jobs = (Job("daily", timedelta(days=1), do), *others.values())
    task = asyncio.create_task(run(jobs, clock=clock, state_file=kept))
    await settle()
    yield
    task.cancel()


async def hours(clock: HandClock, count: int) -> None:
    """Let hours pass, one by one."""
    for _ in range(count):
        await clock.move(HOUR)


async def test_a_job_runs_at_first_and_once_in_its_time() -> None:
    """Three days have four runs."""
    clock, kept, ran = HandClock(), MemoryKept(), list[str]()
    async with kept_up(clock, kept, lambda: ran.append(clock.now().isoformat())):
        assert len(ran) == 1
        await hours(clock, 23)
        assert len(ran) == 1
        await hours(clock, 49)
    assert ran == [(T0 + timedelta(days=day)).isoformat() for day in range(4)]
    assert kept.said == {"daily": ran[-1]}


async def test_jobs_may_come_and_go() -> None:
    """One that comes runs at the next look, one that is gone no more."""
    clock, ran = HandClock(), list[str]()

    async def work() -> None:
        ran.append(clock.now().isoformat())

    more: list[Job] = []
    task = asyncio.create_task(run((), clock=clock, state_file=MemoryKept(), extra_jobs=lambda: more))
    await settle()
    more.append(Job("fetch", timedelta(hours=1), work))
    await hours(clock, 2)
    assert len(ran) == 2
    more.clear()
    await hours(clock, 2)
    assert len(ran) == 2
    task.cancel()


@pytest.mark.parametrize(
    ("last", "runs"),
    [
        pytest.param(T0 - timedelta(days=9), 1, id="missed nine times while down"),
        pytest.param(T0 - timedelta(hours=23), 0, id="not due yet"),
        pytest.param(T0 + timedelta(days=9), 1, id="the clock was set back"),
        pytest.param("yesterday", 1, id="not a time"),
        pytest.param("2026-01-05T08:00:00", 1, id="a time of nobody knows where"),
        pytest.param(None, 1, id="null"),
    ],
)
async def test_what_was_missed_runs_once_at_start(last: object, runs: int) -> None:
    """However often it was missed; what is kept may say anything."""
    clock, ran = HandClock(), list[int]()
    said = last.isoformat() if hasattr(last, "isoformat") else last
    async with kept_up(clock, MemoryKept(daily=said), lambda: ran.append(1)):
        assert len(ran) == runs


async def test_a_job_that_breaks_stops_no_other_and_comes_again() -> None:
    """At its next time, not immediately."""
    clock, kept, ran, broke = HandClock(), MemoryKept(), list[int](), list[int]()

    async def break_down() -> None:
        broke.append(1)
        raise RuntimeError

    other = Job("breaks", timedelta(hours=2), break_down)
    async with kept_up(clock, kept, lambda: ran.append(1), other=other):
        await hours(clock, 3)
        assert (len(ran), len(broke)) == (1, 2)
    assert kept.said.keys() == {"daily", "breaks"}


async def test_a_run_that_cannot_be_noted_is_not_repeated() -> None:
    """A full disk does not make a daily job one of every minute."""

    class Full(MemoryKept):
        async def write(self, said: dict[str, object]) -> None:
            raise RetryLater("no space left")

    clock, ran = HandClock(), list[int]()
    async with kept_up(clock, Full(), lambda: ran.append(1)):
        await hours(clock, 5)
        assert len(ran) == 1


@asynccontextmanager
async def each_day(clock: HandClock, kept: MemoryKept, work: Callable[[date], None], at: At) -> AsyncIterator[None]:
    """A schedule with one job at a time of day, until the end of the block."""

    async def do(day: date) -> None:
        work(day)

    task = asyncio.create_task(run((DayJob("brief", at, do),), clock=clock, state_file=kept))
    await settle()
    yield
    task.cancel()
    await settle()


TEN = At(time(10), "UTC")
"""An hour after these stories begin."""


async def test_a_day_job_is_done_once_a_day_whatever_clock_and_process_do() -> None:
    """Over restarts, a sleep past its time, and a clock that is set back by hours and by days."""
    clock, kept, ran = HandClock(), MemoryKept(), list[str]()

    def note(day: date) -> None:
        ran.append(day.isoformat())

    async with each_day(clock, kept, note, TEN):
        await hours(clock, 2)
        assert ran == ["2026-01-05"]
    async with each_day(clock, kept, note, TEN):
        await hours(clock, 1)
        clock.set_back(3 * HOUR)
        await hours(clock, 3)
    assert ran == ["2026-01-05"]
    await clock.move(28 * HOUR)
    async with each_day(clock, kept, note, TEN):
        assert ran == ["2026-01-05", "2026-01-06"]
        clock.set_back(24 * HOUR)
        await hours(clock, 30)
    assert ran == ["2026-01-05", "2026-01-06"]


async def test_a_day_job_that_is_new_begins_with_the_next_time() -> None:
    """Of a night in which it was not there it says nothing; a time that is still to come today counts."""
    clock, ran = HandClock(), list[date]()
    async with each_day(clock, MemoryKept(), ran.append, At(time(8), "UTC")):
        await hours(clock, 22)
        assert ran == []
        await hours(clock, 1)
        assert ran == [date(2026, 1, 6)]


async def test_a_day_job_that_slack_keeps_from_its_work_is_tried_again() -> None:
    """At the next look, until it is done; one that breaks in itself is left out for the day."""
    clock, kept, tried = HandClock(), MemoryKept(), list[date]()

    def fail(day: date) -> None:
        tried.append(day)
        if len(tried) < 3:
            raise RetryLater("not now")

    async with each_day(clock, kept, fail, TEN):
        await clock.move(HOUR)
        for _ in range(5):
            await clock.move(60)
        assert len(tried) == 3

    def break_down(day: date) -> None:
        tried.append(day)
        raise RuntimeError

    async with each_day(clock, kept, break_down, TEN):
        await hours(clock, 30)
    assert len(tried) == 4


async def test_the_days_that_are_done_are_not_remembered_for_ever() -> None:
    """Two weeks of them, whatever stood there before."""
    clock, kept = HandClock(), MemoryKept(brief=["2026-01-04", "never", 7])
    async with each_day(clock, kept, lambda _: None, TEN):
        await hours(clock, 24 * (DAYS_KEPT + 3))
    assert len(kept.said["brief"]) == DAYS_KEPT
    assert kept.said["brief"][-1] == "2026-01-21"
