"""The leader's side of jobs: money that is held, runs that are waited for, called off, or taken over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field

import pytest

from bot.agents.job_engine import JobEngine
from bot.agents.job_problems import pack_problem, unpack_problem
from bot.agents.jobs import JobRuns, RunCost
from bot.agents.ledger import Ledger
from bot.errors import NoKey, OverCap, Refused, Stalled, Stopped, TriageError, Unreachable
from bot.models.findings import Assignment, EngineReport
from bot.models.job import JobCounts, JobOrder, JobOutcome, JobProblem, JobResult, JobState
from bot.models.session import Session
from bot.runtime.seats import Seats
from tests.builders import at
from tests.fakes import HandClock, MemoryKept, MemorySessions, RoundPrices

THREAD = "T1-C1-1.1"
COST = RunCost(agent="investigator", model="claude-opus-5-5", usd=1.0)
DONE = JobResult(problem=JobProblem(name="Stopped", text="it stopped", why="limit"))


@dataclass
class Queue:
    """A queue whose worker is the test."""

    jobs: dict[int, JobState] = field(default_factory=dict)
    aborted: list[int] = field(default_factory=list)
    runs: JobRuns | None = None
    deferred: asyncio.Event = field(default_factory=asyncio.Event)
    seats: int = 2

    async def find(self, run_key: str) -> JobState | None:
        """The job of a run."""
        return next((job for job in self.jobs.values() if job.order.run_key == run_key), None)

    async def has_session(self, session_id: str) -> bool:
        """Whether a job has it."""
        return any(job.order.session_id == session_id for job in self.jobs.values())

    async def defer(self, order: JobOrder) -> int:
        """A new job."""
        job_id = len(self.jobs) + 1
        self.jobs[job_id] = JobState(job_id=job_id, order=order, attempt=0)
        self.deferred.set()
        return job_id

    async def read(self, job_id: int) -> JobState | None:
        """A job."""
        return self.jobs.get(job_id)

    async def abort(self, job_id: int) -> None:
        """Note it."""
        self.aborted.append(job_id)

    async def abort_orphans(self) -> None:
        """There are none."""

    async def count(self) -> JobCounts:
        """Nobody asks."""
        raise NotImplementedError

    async def count_seats(self) -> int:
        """Two workers of one, if a test says nothing else."""
        return self.seats

    async def list_unsettled(self, besides: Collection[int]) -> list[JobState]:
        """Those that have ended."""
        return [job for job in self.jobs.values() if job.outcome and not job.is_settled and job.job_id not in besides]

    async def settle(self, job_id: int) -> None:
        """Note it."""
        self.jobs[job_id] = self.jobs[job_id].evolve(is_settled=True)

    async def remove_old(self) -> None:
        """There are none."""

    def changes(self) -> AsyncIterator[str]:
        """Nobody listens."""
        raise NotImplementedError

    def end(self, job_id: int, *costs: float, held: float = 0.0, outcome: JobOutcome = "failed") -> None:
        """End a job whose attempts have cost so much; the first one died in a call for `held`."""
        order = self.jobs[job_id].order
        accounts = [
            Session(
                session_id=order.session_id,
                agent="investigator",
                model="m",
                started_at=at(),
                saved_at=at(),
                cost_usd=usd,
                held_usd=0.0 if number else held,
                outcome="limit" if number == len(costs) - 1 else "running",
            )
            for number, usd in enumerate(costs)
        ]
        result = None if outcome == "aborted" else DONE
        self.jobs[job_id] = self.jobs[job_id].evolve(sessions=tuple(accounts), outcome=outcome, result=result)
        assert self.runs
        self.runs.wake(str(job_id))


@dataclass
class Place:
    """A leader with a day of two and a half dollars."""

    sessions: MemorySessions = field(default_factory=MemorySessions)
    queue: Queue = field(default_factory=Queue)
    is_ending: bool = False

    def __post_init__(self) -> None:
        clock = HandClock()
        self.ledger = Ledger(
            sessions=self.sessions,
            allowance_file=MemoryKept(),
            prices=RoundPrices(),
            clock=clock,
            usd_per_day=2.5,
            tell=lambda _: None,
        )
        self.runs = JobRuns(
            queue=self.queue,
            sessions=self.sessions,
            clock=clock,
            ledger=self.ledger,
            seats=Seats(8),
            is_ending=lambda: self.is_ending,
        )
        self.queue.runs = self.runs
        self.engine = JobEngine(name="claude", runs=self.runs, cost=COST)

    def start(self, run: str) -> asyncio.Task[EngineReport]:
        """A run."""
        assignment = Assignment(question="why?", projects=(), thread_id=THREAD, run_id=run)
        return asyncio.create_task(self.engine.investigate(assignment))

    async def begin(self, run: str) -> asyncio.Task[EngineReport]:
        """A run that is deferred."""
        self.queue.deferred.clear()
        task = self.start(run)
        await self.queue.deferred.wait()
        return task


async def test_a_run_holds_its_cap_and_is_booked_with_all_attempts() -> None:
    """What the dead attempt held counts as spent; the rest is free again, and the thread gets one run."""
    place = Place()
    task = await place.begin("r1")
    assert place.ledger.spent == 1.0
    place.queue.end(1, 0.25, 0.125, held=0.5)
    with pytest.raises(Stopped, match="it stopped") as raised:
        await task
    assert raised.value.why == "limit"
    assert place.ledger.spent == 0.875
    (record,) = place.sessions.kept.values()
    assert (record.outcome, record.cost_usd, record.unsure_usd, record.held_usd) == ("limit", 0.375, 0.5, 0.0)
    assert len(place.ledger.runs_of(THREAD, record.started_at)) == 1


async def test_runs_wait_for_money_that_others_hold_and_are_refused_only_where_it_is_spent() -> None:
    """A refused run is still done, by an engine that asks no model."""
    place = Place()
    for run in ("r1", "r2", "r3"):
        await place.begin(run)
    assert [job.order.usd for job in place.queue.jobs.values()] == [1.0, 1.0, 0.5]
    waiting = asyncio.create_task(place.begin("r4"))
    place.queue.end(1, 1.0)
    place.queue.end(2, 1.0)
    place.queue.end(3, 0.49)
    await waiting
    assert place.queue.jobs[4].order.session_id == ""
    assert "$2.49 are spent or held" in place.queue.jobs[4].order.refusal


async def test_a_run_that_waits_for_money_can_be_called_off() -> None:
    """At once; it was never deferred."""
    place = Place()
    for run in ("r1", "r2", "r3"):
        await place.begin(run)
    task = place.start("r4")
    for _ in range(5):
        await asyncio.sleep(0)
    task.cancel()
    async with asyncio.timeout(5):
        await asyncio.gather(task, return_exceptions=True)
    assert len(place.queue.jobs) == 3


async def test_the_next_leader_waits_for_the_same_job_and_books_it_once() -> None:
    """It holds no money a second time; a run that was never deferred costs nothing."""
    first = Place()
    first_task = await first.begin("r1")
    first.is_ending = True
    first_task.cancel()
    await asyncio.gather(first_task, return_exceptions=True)
    assert first.queue.aborted == []
    lost = first.sessions.kept[first.queue.jobs[1].order.session_id].evolve(session_id=f"{at():%Y%m%dT%H%M%S}-job-lost")
    await first.sessions.save(lost)
    second = Place(sessions=first.sessions, queue=first.queue)
    await second.ledger.start()
    assert second.ledger.spent == 2.0
    await second.runs.begin()
    assert second.ledger.spent == 1.0
    assignment = Assignment(question="why?", projects=(), thread_id=THREAD, run_id="r1")
    task = asyncio.create_task(second.engine.investigate(assignment))
    await asyncio.sleep(0)
    second.queue.end(1, 0.25)
    with pytest.raises(Stopped):
        await task
    assert (len(second.queue.jobs), second.ledger.spent) == (1, 0.25)


@pytest.mark.parametrize("is_deferred", [True, False])
async def test_a_leader_that_ends_does_not_wait_for_what_others_do(is_deferred: bool) -> None:
    """Its runs end at once and call nothing off, whether they have a job or wait for money."""
    place = Place()
    first = await place.begin("r1")
    second = None if is_deferred else [await place.begin("r2"), place.start("r3")]
    await asyncio.sleep(0)
    place.is_ending = True
    place.runs.leave()
    await asyncio.gather(first, *(second or ()), return_exceptions=True)
    assert first.cancelled()
    assert place.queue.aborted == []


async def test_workers_that_are_back_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """As their absence was, once each."""
    place = Place()
    for seats in (0, 0, 3, 3):
        place.queue.seats = seats
        await place.runs.tend_once()
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "no replica investigates",
        "replicas investigate again, up to 3 questions at a time",
    ]


async def test_a_run_that_nobody_wants_is_called_off_and_booked_later() -> None:
    """With what it had cost until then."""
    place = Place()
    task = await place.begin("r1")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert place.queue.aborted == [1]
    place.queue.end(1, 0.25, outcome="aborted")
    await place.runs.tend_once()
    assert place.ledger.spent == 0.25
    assert place.queue.jobs[1].is_settled
    assert place.runs.ended == {("investigation", "aborted"): 1}


@pytest.mark.parametrize(
    "problem",
    [
        Stopped("a", why="limit"),
        OverCap("b", limit="day"),
        Refused("c", code="d"),
        NoKey("e"),
        Unreachable("f"),
        Stalled("g", seconds=60),
        TriageError("h"),
    ],
)
def test_a_problem_comes_back_as_what_it_was(problem: TriageError) -> None:
    """With its words, its reason, and the best text of the run."""
    problem.unchecked_notes = "notes"
    back = unpack_problem(pack_problem(problem))
    assert (str(back), back.unchecked_notes) == (str(problem), "notes")
    assert isinstance(back, Unreachable if isinstance(problem, Stalled) else type(problem))
    for name in ("why", "limit", "code"):
        assert getattr(back, name, None) == getattr(problem, name, None)
