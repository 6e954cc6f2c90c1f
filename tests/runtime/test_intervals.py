"""The schedule of intervals: spread, never twice at once, and no burst whatever the clock does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from bot.runtime.intervals import FIRST_WITHIN, IntervalFigures, IntervalJob, run_intervals
from tests.fakes import HandClock, settle


class Runs:
    """Starts of jobs, with the second of each."""

    def __init__(self, clock: HandClock) -> None:
        self.clock = clock
        self.began = clock.now()
        self.starts: list[tuple[str, float]] = []

    @property
    def second(self) -> float:
        """Seconds since the beginning."""
        return (self.clock.now() - self.began).total_seconds()

    def job(self, name: str, every_s: float = 30, slot: str = "") -> IntervalJob:
        """A job that only notes its start."""

        async def work() -> None:
            self.starts.append((name, self.second))

        return IntervalJob(name, every_s, work, slot)

    def of(self, name: str) -> list[float]:
        """The seconds of one job's starts."""
        return [second for each, second in self.starts if each == name]


@asynccontextmanager
async def started(
    jobs: Sequence[IntervalJob], clock: HandClock, *, max_running: int = 128
) -> AsyncIterator[IntervalFigures]:
    """A schedule until the end of the block."""
    figures = IntervalFigures()
    task = asyncio.create_task(run_intervals(jobs, clock=clock, max_running=max_running, figures=figures))
    await settle()
    yield figures
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def seconds(clock: HandClock, count: float, step: float = 0.5) -> None:
    """Let time pass in small steps."""
    for _ in range(round(count / step)):
        await clock.move(step)


async def test_jobs_are_spread_over_their_interval() -> None:
    """Of two hundred jobs every thirty seconds no second has more than a few, and each runs once in an interval."""
    clock = HandClock()
    runs = Runs(clock)
    async with started([runs.job(f"shop-{number}") for number in range(200)], clock) as figures:
        await seconds(clock, 90)
    each = Counter(name for name, _ in runs.starts)
    assert set(each.values()) <= {3}
    assert max(Counter(int(second) for _, second in runs.starts).values()) < 20
    assert figures.latest < 0.05
    for name in each:
        first, second, third = runs.of(name)
        assert second - first == pytest.approx(30, abs=1)
        assert third - second == pytest.approx(30, abs=1)


async def test_one_slot_starts_together() -> None:
    """Jobs of one slot start at the same moment, every time."""
    clock = HandClock()
    runs = Runs(clock)
    async with started([runs.job(f"box-{number}", slot="programs") for number in range(20)], clock):
        await seconds(clock, 90)
    assert len(runs.starts) == 60
    assert len({second for _, second in runs.starts}) == 3


async def test_a_long_interval_does_not_delay_the_first_run() -> None:
    """A job of an hour runs in the first minute, then about an hour later, at its own time from then on."""
    clock = HandClock()
    runs = Runs(clock)
    async with started([runs.job("slow", 3_600)], clock):
        await seconds(clock, 14_400, step=2)
    first, second, third = runs.of("slow")[:3]
    assert first <= FIRST_WITHIN + 2
    assert 1_800 <= second - first <= 5_400 + 2
    assert third - second == pytest.approx(3_600, abs=4)


async def test_a_job_never_runs_twice_at_once() -> None:
    """One that takes longer than its interval is left out until it has ended, and others go on."""
    clock, gate = HandClock(), asyncio.Event()
    runs = Runs(clock)
    running = 0

    async def hang() -> None:
        nonlocal running
        running += 1
        assert running == 1
        await gate.wait()
        running -= 1
        runs.starts.append(("slow", runs.second))

    async with started([IntervalJob("slow", 10, hang), runs.job("quick", 10)], clock) as figures:
        await seconds(clock, 35)
        assert runs.of("slow") == []
        gate.set()
        await seconds(clock, 20)
    assert figures.skipped >= 2
    assert 2 <= len(runs.of("slow")) <= 4
    assert len(runs.of("quick")) >= 5


async def test_only_so_many_run_at_once_and_the_wait_is_counted() -> None:
    """A job that waits for a free place is late, and the figures name it."""
    clock, gate = HandClock(), asyncio.Event()
    running = most = 0

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await gate.wait()
        running -= 1

    jobs = [IntervalJob(f"job-{number}", 30, work) for number in range(20)]
    async with started(jobs, clock, max_running=3) as figures:
        await seconds(clock, 29)
        assert (running, most) == (3, 3)
        gate.set()
        await seconds(clock, 0.5)
        assert figures.runs == 20
    assert most == 3
    assert 0.5 < figures.latest < 1
    assert figures.latest_name.startswith("job-")


async def test_a_failed_job_runs_again_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """An error is logged with the job's name; the job and the others run at their next times."""
    clock = HandClock()
    runs = Runs(clock)

    async def fail() -> None:
        runs.starts.append(("bad", runs.second))
        raise ValueError("broken")

    async with started([IntervalJob("bad", 10, fail), runs.job("good", 10)], clock):
        await seconds(clock, 30)
    assert len(runs.of("bad")) == len(runs.of("good")) == 3
    assert "bad failed" in caplog.text


@pytest.mark.parametrize("asleep", [20.0, 45.0, 28_800.0])
async def test_a_suspended_machine_makes_no_burst(asleep: float, caplog: pytest.LogCaptureFixture) -> None:
    """After a sleep each job runs once within an interval, and no second has more than a share of them."""
    clock = HandClock()
    runs = Runs(clock)
    async with started([runs.job(f"shop-{number}") for number in range(200)], clock):
        await seconds(clock, 40)
        woken = runs.second + asleep
        await clock.move(asleep)
        await seconds(clock, 31)
    assert ("more than its interval" in caplog.text) == (asleep > 30)
    later = [(name, second) for name, second in runs.starts if second >= woken]
    assert {name for name, _ in later} == {f"shop-{number}" for number in range(200)}
    assert max(Counter(int(second) for _, second in later).values()) < 40


@pytest.mark.parametrize("back", [1.0, 20.0, 45.0, 86_400.0])
async def test_a_clock_set_back_delays_a_job_by_less_than_its_interval(back: float) -> None:
    """No job waits for the old time to come again, and none runs many times."""
    clock = HandClock()
    runs = Runs(clock)
    async with started([runs.job(f"shop-{number}") for number in range(50)], clock):
        await seconds(clock, 40)
        runs.starts.clear()
        clock.set_back(back)
        await seconds(clock, 60)
    each = Counter(name for name, _ in runs.starts)
    assert len(each) == 50
    assert set(each.values()) <= {1, 2, 3}


async def test_a_process_that_stalls_again_and_again_starves_no_job() -> None:
    """With steps of seven seconds every job still runs in each of its intervals, or the next."""
    clock = HandClock()
    runs = Runs(clock)
    async with started([runs.job(f"shop-{number}") for number in range(50)], clock):
        await seconds(clock, 420, step=7)
    assert min(Counter(name for name, _ in runs.starts).values()) >= 7


async def test_the_end_ends_what_runs() -> None:
    """A cancelled schedule cancels its jobs."""
    clock, ends = HandClock(), list[str]()

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("ended")

    async with started([IntervalJob("slow", 1, hang)], clock):
        await seconds(clock, 2)
    assert ends == ["ended"]
