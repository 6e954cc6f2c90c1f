"""Jobs of the leader (`JobQueue`): procrastinate's queue, with order, costs and result in tables of Triage.

A job is a row of `procrastinate_jobs` whose `lock` is its thread, so that one thread's jobs run one after the other. It
is fetched, cancelled and given back by procrastinate's own statements. Its worker is not used, for it saves the end of
a job apart from its result, and asks no one whether the job is still its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from procrastinate.sql import queries

from bot.adapters.postgresql.notifications import listen
from bot.adapters.postgresql.texts import parse_json, serialise_model
from bot.models.job import JobCounts, JobOrder, JobResult, JobState
from bot.models.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from bot.adapters.postgresql.commit_proofs import Connection
    from bot.adapters.postgresql.database import Database
    from bot.models.job import JobKind

QUEUE, TASK = "triage", "run"
"""Names of the queue and of its task in procrastinate's tables."""
CHANGES = "triage_jobs"
_STATE = """
select job_id, content, attempt, outcome, result, settled_at is not null,
       array(select sessions.content from triage.job_sessions as sessions
              where sessions.job_id = jobs.job_id order by attempt)
  from triage.jobs
"""
_INSERT = """
insert into procrastinate_jobs (queue_name, task_name, lock, priority, args)
values (%(queue)s, %(task)s, %(lock)s, %(priority)s, jsonb_build_object('kind', %(kind)s::text)) returning id
"""
_PRIORITIES: dict[JobKind, int] = {"investigation": 0, "validation": 1}
"""Question by question, not step by step: an investigation that has ended is validated before the next one begins."""
_SEATS = """
select coalesce(sum(seats.seats), 0)::integer
  from triage.worker_seats as seats join procrastinate_workers as worker on worker.id = seats.worker_id
 where worker.last_heartbeat > clock_timestamp() - make_interval(secs => %s)
"""
SILENT_FOR = 5.0
"""Seconds without a heartbeat after which a worker counts as dead: its jobs are with others within 10 s of its end."""
_KEEP_ORDER = """
insert into triage.jobs (job_id, run_key, kind, thread_id, session_id, content)
values (%(job)s, %(key)s, %(kind)s, %(thread)s, %(session)s, %(content)s)
"""
_END_CANCELLED = """
update triage.jobs set outcome = 'aborted', ended_at = clock_timestamp()
 where job_id = %s and outcome is null
   and not exists (select from procrastinate_jobs as job where job.id = job_id and job.status = 'doing')
"""
_ORPHANS = """
select job_id from triage.jobs
 where outcome is null and not exists (
       select from triage.threads where threads.thread_id = jobs.thread_id and not threads.is_closed)
"""
COUNTS = """
select count(*) filter (where job.status = 'todo'), count(*) filter (where job.status = 'doing'),
       coalesce(extract(epoch from max(clock_timestamp() - jobs.deferred_at) filter (where job.status = 'todo')), 0)
           ::float8
  from triage.jobs join procrastinate.procrastinate_jobs as job on job.id = jobs.job_id
 where jobs.outcome is null
"""
_SETTLE = "update triage.jobs set settled_at = clock_timestamp() where job_id = %s"
_REMOVE = """
with gone as (
    delete from triage.jobs
     where settled_at < clock_timestamp() - interval '1 day'
        or settled_at is not null
           and not exists (select from triage.threads where threads.thread_id = jobs.thread_id)
    returning job_id)
delete from procrastinate_jobs where id in (select job_id from gone)
"""


class StoredJobs:
    """The port on a database whose writes are the leader's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, run_key: str) -> JobState | None:
        """Return the job of a run."""
        return next(iter(await self._read("where run_key = %s", run_key)), None)

    async def read(self, job_id: int) -> JobState | None:
        """Return a job."""
        return next(iter(await self._read("where job_id = %s", job_id)), None)

    async def has_session(self, session_id: str) -> bool:
        """Return whether a job has this record of its cost."""
        return bool(await self._fetch("select from triage.jobs where session_id = %s", session_id))

    async def defer(self, order: JobOrder) -> int:
        """Add a job, unless its run has one; return its id. Raises `TriageError`."""

        async def add(connection: Connection) -> int:
            query = "select job_id from triage.jobs where run_key = %s"
            if row := await (await connection.execute(query, (order.run_key,))).fetchone():
                return int(row[0])
            values: dict[str, Any] = {"queue": QUEUE, "task": TASK, "lock": order.thread_id, "kind": order.kind}
            values["priority"] = _PRIORITIES[order.kind]
            row = await (await connection.execute(_INSERT, values)).fetchone()
            job_id = int(row[0]) if row else 0
            about = {"job": job_id, "key": order.run_key, "thread": order.thread_id, "session": order.session_id}
            await connection.execute(_KEEP_ORDER, {**about, "kind": order.kind, "content": serialise_model(order)})
            return job_id

        return await self._database.write(add)

    async def abort(self, job_id: int) -> None:
        """Ask for the end of a job. Raises `TriageError`."""

        async def end(connection: Connection) -> None:
            await connection.execute(queries["cancel_job"], {"job_id": job_id, "abort": True, "delete_job": False})
            await connection.execute(_END_CANCELLED, (job_id,))

        await self._database.write(end)

    async def abort_orphans(self) -> None:
        """Ask for the end of all jobs whose thread is closed or gone. Raises `TriageError`."""
        for (job_id,) in await self._fetch(_ORPHANS):
            await self.abort(job_id)

    async def count(self) -> JobCounts:
        """Count the jobs that have not ended."""
        ((waiting, running, oldest),) = await self._fetch(COUNTS)
        return JobCounts(waiting=waiting, running=running, oldest_seconds=oldest)

    async def count_seats(self) -> int:
        """Return how many jobs the workers of all replicas do at the same time."""
        ((seats,),) = await self._fetch(_SEATS, SILENT_FOR)
        return int(seats)

    async def list_unsettled(self, besides: Collection[int]) -> list[JobState]:
        """Return the ended jobs whose cost is not booked."""
        return await self._read(
            "where settled_at is null and outcome is not null and job_id <> all(%s) order by job_id", [*besides]
        )

    async def settle(self, job_id: int) -> None:
        """Note that the cost of an ended job is booked. Raises `TriageError`."""
        await self._database.write(lambda connection: connection.execute(_SETTLE, (job_id,)))

    async def remove_old(self) -> None:
        """Remove jobs that were settled a day ago, and those whose thread is gone. Raises `TriageError`."""
        await self._database.write(lambda connection: connection.execute(_REMOVE))

    def changes(self) -> AsyncIterator[str]:
        """Yield the ids of jobs that changed."""
        return listen(self._database.address, CHANGES)

    async def _read(self, where: str, *values: Any) -> list[JobState]:
        rows = await self._fetch(f"{_STATE} {where}", *values)
        return [
            JobState(
                job_id=job_id,
                order=JobOrder.model_validate(parse_json(content)),
                attempt=attempt,
                outcome=outcome,
                result=None if result is None else JobResult.model_validate(parse_json(result)),
                sessions=tuple(Session.model_validate(parse_json(each)) for each in sessions),
                is_settled=is_settled,
            )
            for job_id, content, attempt, outcome, result, is_settled, sessions in rows
        ]

    async def _fetch(self, query: str, *values: Any) -> list[Any]:
        async def fetch(connection: Connection) -> list[Any]:
            return await (await connection.execute(query.encode(), values)).fetchall()

        return await self._database.read(fetch)
