"""The queue of jobs on a real PostgreSQL: claims, order, dead and fenced workers, calling off."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psycopg
import pytest
import pytest_asyncio

from bot.adapters.clock import SystemClock
from bot.adapters.postgresql.database import Database
from bot.adapters.postgresql.job_claims import StoredClaims
from bot.adapters.postgresql.jobs import SILENT_FOR, StoredJobs
from bot.adapters.postgresql.purge import purge
from bot.adapters.postgresql.queue_schema import SEARCH_PATH
from bot.adapters.postgresql.worker_beat import WorkerBeat
from bot.agents.job_worker import JobWorker
from bot.errors import Fenced, NotHere
from bot.models.findings import Assignment
from bot.models.job import GIVEN_UP, MAX_ATTEMPTS, JobClaim, JobOrder, JobProblem, JobResult
from bot.models.purge_criterion import Criterion
from bot.models.session import Session
from tests.builders import added, at, moved

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DONE = JobResult(problem=JobProblem(name="TriageError", text="half of a pair \ud800, and \x00"))


class _Epoch:
    """The number under which a test leads."""

    epoch: int | None = 0


@dataclass
class _Beat:
    """Heartbeat of a worker, sent by hand."""

    address: str
    worker_id: int | None = None

    async def begin(self) -> None:
        self.worker_id = self.run("insert into procrastinate.procrastinate_workers default values returning id")

    async def close(self) -> None:
        self.run("delete from procrastinate.procrastinate_workers where id = %s returning id", self.worker_id)

    def die(self) -> None:
        """Have been silent for too long."""
        self.run(
            "update procrastinate.procrastinate_workers set last_heartbeat = now() - make_interval(secs => %s)"
            " where id = %s returning id",
            SILENT_FOR + 1,
            self.worker_id,
        )

    def run(self, statement: str, *values: object) -> int:
        with psycopg.connect(self.address, options=f"-c search_path={SEARCH_PATH}") as connection:
            row = connection.execute(statement.encode(), values).fetchone()
        return int(row[0]) if row else 0


@dataclass
class _Place:
    """A leader's queue and two workers."""

    leader: StoredJobs
    database: Database
    unfenced: Database
    first: StoredClaims
    second: StoredClaims
    beat: _Beat

    async def defer(self, run: str, thread: str = "C1-1.0") -> int:
        """A job of a thread."""
        assignment = Assignment(question=f"what is \ud800 {run}?", projects=(), thread_id=thread, run_id=run)
        key = f"{thread}/{run}/investigation"
        return await self.leader.defer(
            JobOrder(kind="investigation", run_key=key, thread_id=thread, assignment=assignment, session_id=f"s-{run}")
        )

    async def claim(self, by: StoredClaims) -> JobClaim:
        """The claim of a worker that gets one."""
        claim = await by.claim()
        assert claim
        return claim


@pytest_asyncio.fixture
async def place(database_address: str) -> AsyncIterator[_Place]:
    """One database for a leader, and one for two workers."""
    leading = Database(database_address, clock=SystemClock(), fence=_Epoch())
    working = Database(database_address, clock=SystemClock())
    beats = [_Beat(database_address) for _ in range(2)]
    await leading.open()
    await working.open()
    first, second = [StoredClaims(working, beat) for beat in beats]  # type: ignore[arg-type]  # by hand
    await first.begin()
    await second.begin()
    try:
        yield _Place(StoredJobs(leading), leading, working, first, second, beats[0])
    finally:
        await leading.close()
        await working.close()


def _account(usd: float, *, held: float = 0.0) -> Session:
    return Session(
        session_id="20260101T000000-job-1",
        agent="investigator",
        model="m",
        started_at=at(),
        saved_at=at(),
        cost_usd=usd,
        held_usd=held,
    )


async def test_a_job_is_done_once_and_its_result_waits_for_the_leader(place: _Place) -> None:
    """The order and the result come back as they were, whatever Slack's texts have in them."""
    job_id = await place.defer("r1")
    assert await place.defer("r1") == job_id
    claim = await place.claim(place.first)
    assert (claim.job_id, claim.attempt) == (job_id, 1)
    assert claim.order.assignment is not None
    assert claim.order.assignment.question == "what is \ud800 r1?"
    assert await place.second.claim() is None
    await place.first.finish(claim, "failed", DONE)
    state = await place.leader.find("C1-1.0/r1/investigation")
    assert state is not None
    assert (state.outcome, state.result) == ("failed", DONE)
    assert await place.second.claim() is None


async def test_jobs_of_one_thread_run_one_after_the_other_and_those_of_others_beside_them(place: _Place) -> None:
    """In the order in which they were deferred."""
    one, two, other = await place.defer("r1"), await place.defer("r2"), await place.defer("r1", "C1-2.0")
    claim, beside = await place.claim(place.first), await place.claim(place.second)
    assert (claim.job_id, beside.job_id) == (one, other)
    assert await place.second.claim() is None
    await place.first.finish(claim, "failed", DONE)
    assert (await place.claim(place.second)).job_id == two


async def test_the_job_of_a_dead_worker_goes_on_with_what_it_has_cost(place: _Place) -> None:
    """The call that was under way counts in full; the dead worker, should it wake up, saves nothing more."""
    await place.defer("r1")
    dead = await place.claim(place.first)
    await place.first.save_session(dead, _account(0.25, held=0.5))
    assert await place.second.rescue() == 0
    place.beat.die()
    assert await place.second.rescue() == 1
    for write in (
        place.first.save_session(dead, _account(9.0)),
        place.first.finish(dead, "failed", DONE),
        place.first.release(dead),
    ):
        with pytest.raises(Fenced):
            await write
    claim = await place.claim(place.second)
    assert (claim.attempt, claim.spent_usd) == (2, 0.75)
    with pytest.raises(Fenced):  # it runs again, but not there
        await place.first.finish(dead, "failed", DONE)
    await place.second.save_session(claim, _account(0.125))
    await place.second.finish(claim, "failed", DONE)
    state = await place.leader.read(claim.job_id)
    assert state is not None
    assert [session.cost_usd for session in state.sessions] == [0.25, 0.125]


async def test_a_job_that_kills_its_workers_is_given_up(place: _Place) -> None:
    """The leader is told why."""
    job_id = await place.defer("r1")
    for _ in range(MAX_ATTEMPTS):
        await place.claim(place.first)
        place.beat.die()
        await place.second.rescue()
    assert await place.second.claim() is None
    state = await place.leader.read(job_id)
    assert state is not None
    assert state.result is not None
    assert state.result.problem is not None
    assert state.result.problem.text == GIVEN_UP


async def test_a_job_that_one_worker_cannot_do_is_left_to_the_others(place: _Place) -> None:
    """It ends with the reason once as many have claimed it as of one that kills its workers."""
    job_id = await place.defer("r1")
    due = b"update procrastinate_jobs set scheduled_at = now() where id = %s"
    missing = JobProblem(name="TriageError", text="this replica has no project shop")
    for attempt in range(1, MAX_ATTEMPTS + 1):
        claim = await place.claim(place.first)
        assert claim.attempt == attempt
        await place.first.pass_on(claim, missing)
        assert await place.second.claim() is None  # for a moment, or for ever
        if attempt < MAX_ATTEMPTS:
            await place.unfenced.write(lambda connection: connection.execute(due, (job_id,)))
    state = await place.leader.read(job_id)
    assert state is not None
    assert state.result == JobResult(problem=missing)


async def test_a_worker_passes_on_what_it_cannot_do(place: _Place) -> None:
    """It does not count as failed."""
    job_id = await place.defer("r1")
    tried = asyncio.Event()

    async def work(_: JobClaim) -> JobResult:
        tried.set()
        raise NotHere("this replica has no project shop")

    worker = JobWorker(place.first, work, seats=1)
    running = asyncio.create_task(worker.run())
    await tried.wait()
    await worker.drain(30)
    running.cancel()
    await worker.close()
    state = await place.leader.read(job_id)
    assert state is not None
    assert (state.outcome, state.attempt) == (None, 1)


async def test_a_job_that_is_given_back_goes_to_another_at_once(place: _Place) -> None:
    """With the cost of the first attempt."""
    await place.defer("r1")
    claim = await place.claim(place.first)
    await place.first.save_session(claim, _account(0.5))
    await place.first.release(claim)
    assert (await place.claim(place.second)).spent_usd == 0.5


async def test_what_waits_and_who_does_it_is_counted(place: _Place) -> None:
    """A dead worker has no seats."""
    for number in range(3):
        await place.defer("r1", f"C1-{number}.0")
    await place.claim(place.first)
    counts = await place.leader.count()
    assert (counts.waiting, counts.running, counts.oldest_seconds > 0) == (2, 1, True)
    assert await place.leader.count_seats() == 0
    beat = WorkerBeat(place.beat.address, 3)
    await beat.begin()
    query = "insert into triage.worker_seats (worker_id, seats) values (%s, 2) returning seats"
    place.beat.run(query, place.beat.worker_id)
    assert await place.leader.count_seats() == 5
    place.beat.die()
    assert await place.leader.count_seats() == 3
    await beat.close()
    assert await place.leader.count_seats() == 0


async def test_an_investigation_that_ended_is_validated_before_the_next_one_begins(place: _Place) -> None:
    """Also where it was deferred later."""
    first = await place.defer("r1")
    order = JobOrder(kind="validation", run_key="C1-2.0/r1/validation", thread_id="C1-2.0")
    validation = await place.leader.defer(order)
    assert (await place.claim(place.first)).job_id == validation
    assert (await place.claim(place.first)).job_id == first


async def test_a_job_that_is_called_off_ends(place: _Place) -> None:
    """At once if it waits, by its worker if it runs, and by the others if that one is dead."""
    waits = await place.defer("r1")
    await place.leader.abort(waits)
    assert await place.first.claim() is None
    runs = await place.defer("r2")
    claim = await place.claim(place.first)
    assert await place.first.list_aborted([runs]) == set()
    await place.leader.abort(runs)
    assert await place.first.list_aborted([runs]) == {runs}
    await place.first.finish(claim, "aborted", None)
    dies = await place.defer("r3")
    await place.claim(place.first)
    await place.leader.abort(dies)
    place.beat.die()
    await place.second.rescue()
    assert [state.outcome for state in await place.leader.list_unsettled(besides=[])] == ["aborted"] * 3


async def test_jobs_without_an_open_thread_are_called_off_and_removed_once_they_are_booked(place: _Place) -> None:
    """Those of an open thread stay."""
    from bot.adapters.postgresql.threads import StoredThreads

    thread = moved(None, added())
    await StoredThreads(place.database).save(thread)
    kept, gone = await place.defer("r1", thread.thread_id), await place.defer("r1", "C1-9.0")
    await place.leader.abort_orphans()
    (state,) = await place.leader.list_unsettled(besides=[])
    assert state.job_id == gone
    await place.leader.remove_old()
    assert await place.leader.read(gone) is not None  # its cost is not booked
    await place.leader.settle(gone)
    await place.leader.remove_old()
    assert await place.leader.read(gone) is None
    assert (await place.claim(place.first)).job_id == kept


async def test_a_former_leader_defers_and_calls_off_nothing(place: _Place) -> None:
    """Its writes have an earlier epoch."""
    job_id = await place.defer("r1")
    place.beat.run("update triage.leadership set epoch = epoch + 1 returning epoch")
    with pytest.raises(Fenced):
        await place.leader.abort(job_id)
    assert (await place.claim(place.first)).job_id == job_id


@pytest.mark.parametrize(
    "criterion",
    [
        Criterion(thread_id="T1-C0HELP-1.0"),
        Criterion(user="U0ANA"),
        Criterion(before=datetime(2200, 1, 1, tzinfo=UTC)),
    ],
    ids=["by thread", "by user", "by age"],
)
async def test_a_purge_removes_orders_results_and_accounts(place: _Place, criterion: Criterion) -> None:
    """Of the thread that it names, in the queue as well; by age of all."""
    purged, kept = await place.defer("U0ANA", "T1-C0HELP-1.0"), await place.defer("r1", "T1-C0HELP-2.0")
    claim = await place.claim(place.first)
    await place.first.save_session(claim, _account(0.5))
    await place.first.finish(claim, "failed", DONE)
    await purge(place.unfenced, criterion, really=False)
    assert await place.leader.read(purged) is not None
    await purge(place.unfenced, criterion, really=True)
    assert await place.leader.read(purged) is None
    assert (await place.leader.read(kept) is None) == (criterion.before is not None)
    count = "select count(*) from procrastinate.procrastinate_jobs"
    assert place.beat.run(count) == (0 if criterion.before else 1)


async def test_a_job_that_was_purged_is_no_work(place: _Place) -> None:
    """Nothing of it is left to claim."""
    job_id = await place.defer("r1")
    place.beat.run("delete from triage.jobs where job_id = %s returning job_id", job_id)
    assert await place.first.claim() is None
    assert await place.first.claim() is None
