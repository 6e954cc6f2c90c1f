"""Engine and validator whose runs are jobs, so that any replica does them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.job_problems import unpack_problem
from bot.agents.jobs import CALLED_OFF, RunCost
from bot.errors import TriageError
from bot.models.job import JobOrder

if TYPE_CHECKING:
    from bot.agents.jobs import JobRuns
    from bot.models.findings import Assignment, EngineReport
    from bot.models.job import JobKind, JobResult
    from bot.models.verdict import Review, ValidatorReturn


@dataclass(frozen=True, kw_only=True)
class JobEngine:
    """Engine of a leader (`Engine`). `cost` is that of a run; `None` for an engine that asks no model."""

    name: str
    runs: JobRuns
    cost: RunCost | None

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Return the findings of whichever replica investigates. Raises `TriageError`."""
        cost = self.cost
        if cost and assignment.allowed:
            cost = RunCost(agent=cost.agent, model=cost.model, usd=min(cost.usd, assignment.allowed.usd))
        key = find_key(self.runs, "investigation", assignment)
        thread_id = assignment.thread_id or key
        order = JobOrder(kind="investigation", run_key=key, thread_id=thread_id, assignment=assignment)
        result = await self.runs.run(order, cost)
        if result.report is None:
            raise _find_problem(result)
        return result.report


@dataclass(frozen=True, kw_only=True)
class JobValidator:
    """Validator of a leader (`DraftValidator`)."""

    runs: JobRuns
    cost: RunCost

    async def validate(self, review: Review) -> ValidatorReturn:
        """Return the verdict of whichever replica validates. Raises `TriageError` as the validator itself."""
        key = find_key(self.runs, "validation", review)
        order = JobOrder(kind="validation", run_key=key, thread_id=review.thread_id or key, review=review)
        cost = RunCost(
            agent=self.cost.agent,
            model=self.cost.model,
            usd=self.cost.usd,
            parent_session_id=review.parent_session_id,
        )
        result = await self.runs.run(order, cost)
        if result.verdict is None:
            raise _find_problem(result)
        return result.verdict


def find_key(runs: JobRuns, kind: JobKind, work: Assignment | Review) -> str:
    """Return the key of a run; one that is no thread's has a new one each time."""
    if work.thread_id and work.run_id:
        return f"{work.thread_id}/{work.run_id}/{kind}"
    return f"{runs.clock.new_id()}/{kind}"


def _find_problem(result: JobResult) -> TriageError:
    return unpack_problem(result.problem) if result.problem else TriageError(CALLED_OFF)
