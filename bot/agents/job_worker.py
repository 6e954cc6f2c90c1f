"""Worker: claims jobs of the queue and runs up to `seats` of them at the same time.

A job that is called off is cancelled. At the end of the process the jobs under way go back to the queue.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from bot.agents.job_problems import pack_problem
from bot.errors import Fenced, NotHere, TriageError
from bot.models.job import JobProblem, JobResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.models.job import JobClaim
    from bot.ports.jobs import JobClaims

log = logging.getLogger(__name__)


class JobWorker:
    """Worker of one process. `work` runs a job and returns its result."""

    def __init__(self, claims: JobClaims, work: Callable[[JobClaim], Awaitable[JobResult]], *, seats: int) -> None:
        self._claims, self._work, self._seats = claims, work, seats
        self._running: dict[int, asyncio.Task[None]] = {}
        self._aborted: set[int] = set()
        self._called = asyncio.Event()
        self._is_draining = False

    async def run(self) -> None:
        """Claim and run jobs until cancelled; those under way go on until `close`."""
        await self._claims.begin()
        listening = asyncio.create_task(self._listen(), name="calls for jobs")
        try:
            while True:
                self._called.clear()
                try:
                    await self._look()
                except TriageError as problem:
                    log.warning("no job can be claimed: %s", problem)
                await self._called.wait()
        finally:
            listening.cancel()

    async def drain(self, seconds: float) -> None:
        """Claim nothing more, and let jobs under way end for this time."""
        self._is_draining = True
        if self._running:
            await asyncio.wait([*self._running.values()], timeout=seconds)

    async def close(self) -> None:
        """Give back the jobs under way, so that other workers go on with them."""
        self._is_draining = True
        tasks = [*self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._claims.close()

    async def _listen(self) -> None:
        async for _ in self._claims.calls():
            self._called.set()

    async def _look(self) -> None:
        await self._claims.rescue()
        for job_id in await self._claims.list_aborted([*self._running]):
            if job_id not in self._aborted and (task := self._running.get(job_id)):
                self._aborted.add(job_id)
                task.cancel()
        while len(self._running) < self._seats and not self._is_draining and (claim := await self._claims.claim()):
            task = asyncio.create_task(self._run(claim), name=f"job {claim.job_id}")
            self._running[claim.job_id] = task
            task.add_done_callback(partial(self._end, claim.job_id))

    def _end(self, job_id: int, _: asyncio.Task[None]) -> None:
        del self._running[job_id]
        self._aborted.discard(job_id)
        self._called.set()

    async def _run(self, claim: JobClaim) -> None:
        try:
            await self._run_once(claim)
        except Fenced as problem:
            log.warning("%s", problem)
        except TriageError as problem:
            log.warning("job %d: its end is not saved, and it will be repeated: %s", claim.job_id, problem)

    async def _run_once(self, claim: JobClaim) -> None:
        try:
            result = await self._work(claim)
        except asyncio.CancelledError:
            if claim.job_id in self._aborted:
                await self._claims.finish(claim, "aborted", None)
            else:
                await self._claims.release(claim)
            raise
        except Fenced:
            raise
        except NotHere as problem:
            log.warning("job %d is left to another worker: %s", claim.job_id, problem)
            await self._claims.pass_on(claim, pack_problem(problem))
            return
        except Exception as problem:
            log.exception("job %d failed", claim.job_id)
            text = f"the investigation failed ({type(problem).__name__}); the log of the replica says more"
            result = JobResult(problem=JobProblem(name="TriageError", text=text))
        await self._claims.finish(claim, "failed" if result.problem else "succeeded", result)
