"""Job: an agent's run that any replica may do, its order and its result."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact
from bot.models.findings import Assignment, EngineReport
from bot.models.session import Session
from bot.models.verdict import Review, ValidatorReturn

JobKind = Literal["investigation", "validation"]
JobOutcome = Literal["succeeded", "failed", "aborted"]
"""`failed`: the run ended with a problem, or its workers died. `aborted`: nobody wanted its result any more."""
MAX_ATTEMPTS = 4
"""Attempts after which a job whose workers die is given up."""
GIVEN_UP = f"the processes that ran the investigation died {MAX_ATTEMPTS} times"


class JobOrder(Fact):
    """What a worker is to do. Projects are known by their names: each machine has its own folders."""

    kind: JobKind
    run_key: str
    """Thread, run and kind: the same run is one job, whoever asks for it."""
    thread_id: str
    session_id: str = ""
    """The record of the run's cost; empty for a run that asks no model."""
    usd: float = 0.0
    """US dollars that the leader holds for the run with all its attempts."""
    refusal: str = ""
    """The reason why no model may be asked: the day's money is used up."""
    assignment: Assignment | None = None
    """Of an investigation."""
    review: Review | None = None
    """Of a validation."""


class JobProblem(Fact):
    """The error that a run ended with (`bot.errors`), by the name of its class."""

    name: str
    text: str
    why: str = ""
    """Guard of a `Stopped`, limit of an `OverCap`, code of a `Refused`."""
    unchecked_notes: str = ""


class JobResult(Fact):
    """The end of a run: one of these is set."""

    report: EngineReport | None = None
    verdict: ValidatorReturn | None = None
    problem: JobProblem | None = None


class JobState(Fact):
    """A job as it is now."""

    job_id: int
    order: JobOrder
    attempt: int
    """Number of the last claim; 0 before the first."""
    outcome: JobOutcome | None = None
    """`None` until it has ended."""
    result: JobResult | None = None
    sessions: tuple[Session, ...] = ()
    """Account of each attempt that asked a model, in order."""
    is_settled: bool = False


class JobCounts(Fact):
    """Jobs that have not ended."""

    waiting: int
    running: int
    oldest_seconds: float
    """Age of the oldest that no worker has claimed; 0 without one."""


class JobClaim(Fact):
    """A job that a worker has claimed."""

    job_id: int
    attempt: int
    order: JobOrder
    earlier: tuple[Session, ...] = ()
    """Accounts of the attempts before."""

    @property
    def spent_usd(self) -> float:
        """Return the maximal cost of the attempts before; a call that was under way counts in full."""
        return round(sum(session.spent_usd for session in self.earlier), 6)
