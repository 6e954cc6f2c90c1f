"""Jobs: the queue as the leader sees it, and as a worker does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from bot.models.job import JobClaim, JobCounts, JobOrder, JobOutcome, JobProblem, JobResult, JobState
    from bot.models.session import Session


class JobQueue(Protocol):
    """The leader's side (`bot.adapters.postgresql.jobs.StoredJobs`). Calls that write raise `Fenced`."""

    async def find(self, run_key: str) -> JobState | None:
        """Return the job of a run, with its result if it has ended; `None` if it was never deferred."""

    async def has_session(self, session_id: str) -> bool:
        """Return whether a job has this record of its cost."""

    async def defer(self, order: JobOrder) -> int:
        """Add a job, after those of the same thread; return its id. A run that has a job keeps it."""

    async def read(self, job_id: int) -> JobState | None:
        """Return a job; `None` once it is removed."""

    async def abort(self, job_id: int) -> None:
        """Ask for the end of a job that nobody waits for: one that waits ends at once, one that runs soon."""

    async def abort_orphans(self) -> None:
        """Ask for the end of all jobs whose thread is closed or gone."""

    async def count(self) -> JobCounts:
        """Count the jobs that have not ended."""

    async def count_seats(self) -> int:
        """Return how many jobs the workers of all replicas do at the same time."""

    async def list_unsettled(self, besides: Collection[int]) -> list[JobState]:
        """Return the ended jobs whose cost is not booked."""

    async def settle(self, job_id: int) -> None:
        """Note that the cost of an ended job is booked."""

    async def remove_old(self) -> None:
        """Remove jobs that were settled a day ago, and those whose thread is gone."""

    def changes(self) -> AsyncIterator[str]:
        """Yield the id of each job that has ended or cost something; an empty text when any may have."""


class JobClaims(Protocol):
    """A worker's side (`bot.adapters.postgresql.job_claims.StoredClaims`).

    `begin` comes before the first claim, `close` after the last.
    """

    async def begin(self) -> None:
        """Begin to send heartbeats."""

    async def claim(self) -> JobClaim | None:
        """Claim the first job that may run; `None` if there is none."""

    async def rescue(self) -> int:
        """Give the jobs of dead workers to others; return their number. One that killed too many is given up."""

    async def list_aborted(self, job_ids: Collection[int]) -> set[int]:
        """Return those of these running jobs whose end was asked for."""

    async def save_session(self, claim: JobClaim, session: Session) -> None:
        """Save the account of an attempt. Raises `Fenced` if another worker has the job by now."""

    async def finish(self, claim: JobClaim, outcome: JobOutcome, result: JobResult | None) -> None:
        """End a job with its result, in one transaction. Raises `Fenced` if another worker has it by now."""

    async def release(self, claim: JobClaim) -> None:
        """Give a job back, so that another worker goes on with it. Raises `Fenced` as `finish` does."""

    async def pass_on(self, claim: JobClaim, problem: JobProblem) -> None:
        """Give a job back that this worker cannot do; it ends with the problem if others could not either. Raises
        `Fenced` as `finish` does."""

    def calls(self) -> AsyncIterator[str]:
        """Yield a text when there may be jobs to claim or to abort."""

    async def close(self) -> None:
        """Send no more heartbeats: what this worker still has goes to others at once."""
