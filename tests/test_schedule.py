"""The schedule: what is due runs, what was missed runs once, and what breaks stops nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from bot.errors import RetryLater
from bot.schedule import Job, run
from tests.builders import T0
from tests.fakes import HandClock, MemoryKept, settle

HOUR = 3_600.0


@asynccontextmanager
async def kept_up(clock: HandClock, kept: MemoryKept, work: Callable[[], None], **others: Job) -> AsyncIterator[None]:
    """A schedule with a daily job, and what else there is, until the end of the block."""

    async def do() -> None:
        work()

    jobs = (Job("daily", timedelta(days=1), do), *others.values())
    task = asyncio.create_task(run(jobs, clock=clock, kept=kept))
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
    """At its next time, not at once."""
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
