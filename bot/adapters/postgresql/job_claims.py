"""Jobs of a worker (`JobClaims`): claims with heartbeats, and results that only the last claim may save.

procrastinate has the heartbeats of workers, and finds the jobs of those that stopped sending them. Each write of a
worker locks the job's row and compares the attempt, so that a worker that was stopped and wakes up can save nothing of
a job that another one has by now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from procrastinate.sql import queries
from psycopg import errors
from pydantic import ValidationError

from bot.adapters.postgresql.jobs import CHANGES, QUEUE, SILENT_FOR, TASK
from bot.adapters.postgresql.notifications import listen
from bot.adapters.postgresql.texts import parse_json, serialise_model
from bot.errors import Fenced, TriageError
from bot.models.job import GIVEN_UP, MAX_ATTEMPTS, JobClaim, JobOrder, JobProblem, JobResult
from bot.models.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database
    from bot.adapters.postgresql.worker_beat import WorkerBeat
    from bot.models.job import JobOutcome

_PASSED_ON = 2.0
"""Seconds for other workers to claim what this one cannot do, or cannot read."""
_GIVEN_UP = JobProblem(name="TriageError", text=GIVEN_UP)
_CLAIM = """
update triage.jobs set attempt = attempt + 1, started_at = coalesce(started_at, clock_timestamp())
 where job_id = %s returning attempt, content
"""
_EARLIER = "select content from triage.job_sessions where job_id = %s and attempt < %s order by attempt"
_STALLED = """
select job.id, jobs.attempt, job.abort_requested
  from procrastinate_jobs as job
  left join procrastinate_workers as worker on worker.id = job.worker_id
  left join triage.jobs on jobs.job_id = job.id
 where job.status = 'doing' and job.queue_name = %(queue)s
   and (worker.id is null or worker.last_heartbeat < clock_timestamp() - make_interval(secs => %(silent)s))
"""
"""As procrastinate's `select_stalled_jobs_by_heartbeat`, to be locked: each job is given on once."""
_LOCK = "select from procrastinate_jobs where id = %s and status = 'doing' for update"
_IS_OWN = "select from triage.jobs where job_id = %s and attempt = %s and outcome is null"
_SAVE_SESSION = """
insert into triage.job_sessions (job_id, attempt, content) values (%s, %s, %s)
on conflict (job_id, attempt) do update set content = excluded.content
"""
_END = """
update triage.jobs set outcome = %s, result = %s, ended_at = clock_timestamp() where job_id = %s and outcome is null
"""
_ABORTED = "select id from procrastinate_jobs where id = any(%s) and (abort_requested or status <> 'doing')"
_FORGET_DEAD = """
with gone as (
    delete from procrastinate_workers where last_heartbeat < clock_timestamp() - interval '1 day' returning id)
delete from triage.worker_seats where worker_id in (select id from gone)
"""


class StoredClaims:
    """The port on a database; `beat` is this worker's."""

    def __init__(self, database: Database, beat: WorkerBeat) -> None:
        self._database, self._beat = database, beat

    async def begin(self) -> None:
        """Begin to send heartbeats."""
        await self._beat.begin()

    async def close(self) -> None:
        """Send no more heartbeats."""
        await self._beat.close()

    async def claim(self) -> JobClaim | None:
        """Claim the first job that may run. Raises `TriageError`."""
        worker = self._beat.worker_id
        if worker is None:
            return None
        try:
            async with self._database.transaction() as connection:
                values = {"queues": [QUEUE], "worker_id": worker}
                row = await (await connection.execute(queries["fetch_job"], values)).fetchone()
                if row is None or row[0] is None:
                    return None
                return await _begin(connection, int(row[0]))
        except TriageError as problem:
            if isinstance(
                problem.__context__, errors.UniqueViolation
            ):  # another one has just claimed one of its thread
                return None
            raise

    async def rescue(self) -> int:
        """Give the jobs of dead workers to others. Raises `TriageError`."""
        values = {"queue": QUEUE, "silent": SILENT_FOR}

        async def look(connection: Connection) -> list[Any]:
            return await (await connection.execute(_STALLED, values)).fetchall()

        if not await self._database.read(look):
            return 0
        async with self._database.transaction() as connection:
            rows = await (
                await connection.execute(f"{_STALLED} for update of job skip locked".encode(), values)
            ).fetchall()
            for job_id, attempt, is_aborted in rows:
                if is_aborted or attempt is None:
                    await _end(connection, job_id, "aborted", None)
                else:
                    await _give_on(connection, job_id, attempt)
            await connection.execute(_FORGET_DEAD)
        return len(rows)

    async def list_aborted(self, job_ids: Collection[int]) -> set[int]:
        """Return those of these jobs whose end was asked for, or that are no longer running. Raises `TriageError`."""

        async def look(connection: Connection) -> list[Any]:
            return await (await connection.execute(_ABORTED, ([*job_ids],))).fetchall()

        return {job_id for (job_id,) in await self._database.read(look)} if job_ids else set()

    async def save_session(self, claim: JobClaim, session: Session) -> None:
        """Save the account of an attempt. Raises `Fenced`, and `TriageError`."""

        async def save(connection: Connection) -> None:
            await _lock_own(connection, claim)
            await connection.execute(_SAVE_SESSION, (claim.job_id, claim.attempt, serialise_model(session)))
            await _tell(connection, claim.job_id)

        await self._database.write(save)

    async def finish(self, claim: JobClaim, outcome: JobOutcome, result: JobResult | None) -> None:
        """End a job with its result. Raises `Fenced`, and `TriageError`."""

        async def end(connection: Connection) -> None:
            await _lock_own(connection, claim)
            await _end(connection, claim.job_id, outcome, result)

        await self._database.write(end)

    async def release(self, claim: JobClaim) -> None:
        """Give a job back. Raises `Fenced`, and `TriageError`."""

        async def give_back(connection: Connection) -> None:
            await _lock_own(connection, claim)
            await _give_back(connection, claim.job_id)

        await self._database.write(give_back)

    async def pass_on(self, claim: JobClaim, problem: JobProblem) -> None:
        """Give a job back that this worker cannot do. Raises `Fenced`, and `TriageError`."""

        async def give_on(connection: Connection) -> None:
            await _lock_own(connection, claim)
            await _give_on(connection, claim.job_id, claim.attempt, after=_PASSED_ON, problem=problem)

        await self._database.write(give_on)

    def calls(self) -> AsyncIterator[str]:
        """Yield a text when there may be jobs to claim or to abort."""
        return listen(self._database.address, f"procrastinate_queue_v1#{QUEUE}")


async def _begin(connection: Connection, job_id: int) -> JobClaim | None:
    row = await (await connection.execute(_CLAIM, (job_id,))).fetchone()
    if row is None:  # purged
        await _finish(connection, job_id, "aborted")
        return None
    attempt, content = row
    rows = await (await connection.execute(_EARLIER, (job_id, attempt))).fetchall()
    try:
        return JobClaim(
            job_id=job_id,
            attempt=attempt,
            order=JobOrder.model_validate(parse_json(content)),
            earlier=tuple(Session.model_validate(parse_json(each)) for (each,) in rows),
        )
    except ValidationError:  # of a newer version, whose workers may have it
        await _give_on(connection, job_id, attempt, after=_PASSED_ON)
        return None


async def _give_on(
    connection: Connection, job_id: int, attempt: int, *, after: float = 0.0, problem: JobProblem = _GIVEN_UP
) -> None:
    if attempt < MAX_ATTEMPTS:
        await _give_back(connection, job_id, after)
        return
    await _end(connection, job_id, "failed", JobResult(problem=problem))


async def _lock_own(connection: Connection, claim: JobClaim) -> None:
    runs = await (await connection.execute(_LOCK, (claim.job_id,))).fetchone()
    is_own = (
        runs is not None
        and await (await connection.execute(_IS_OWN, (claim.job_id, claim.attempt))).fetchone() is not None
    )
    if not is_own:
        raise Fenced(f"job {claim.job_id}: another worker has it, or it was called off")


async def _end(connection: Connection, job_id: int, outcome: JobOutcome, result: JobResult | None) -> None:
    text = None if result is None else serialise_model(result)
    await connection.execute(_END, (outcome, text, job_id))
    await _finish(connection, job_id, outcome)
    await _tell(connection, job_id)


async def _finish(connection: Connection, job_id: int, outcome: JobOutcome) -> None:
    values: dict[str, Any] = {"job_id": job_id, "status": outcome, "delete_job": False}
    await connection.execute(queries["finish_job"], values)


async def _give_back(connection: Connection, job_id: int, after: float = 0.0) -> None:
    """Let another worker claim a job; those who wait for work are told as of a new one."""
    new = {"new_priority": None, "new_queue_name": None, "new_lock": None}
    row = await (await connection.execute("select now() + make_interval(secs => %s)", (after,))).fetchone()
    await connection.execute(queries["retry_job"], {"job_id": job_id, "retry_at": row and row[0], **new})
    await connection.execute("select pg_notify(%s, %s)", (f"procrastinate_queue_v1#{QUEUE}", TASK))


async def _tell(connection: Connection, job_id: int) -> None:
    await connection.execute("select pg_notify(%s, %s)", (CHANGES, str(job_id)))
