"""Runner of jobs: a worker's engines do what an order says, with its money and its machine's code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.agents.fallback import FallbackEngine
from bot.agents.investigator import Investigator
from bot.agents.job_problems import pack_problem
from bot.agents.ledger import Ledger
from bot.agents.run import Continued
from bot.agents.validator import Validator
from bot.decide.limits import Spent
from bot.errors import Fenced, NotHere, OverCap, TriageError
from bot.models.job import JobResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import date

    from bot.agents.engines import Engines
    from bot.agents.loop import Loop
    from bot.decide.limits import RunLimits
    from bot.models.findings import Assignment, EngineReport
    from bot.models.job import JobClaim
    from bot.models.project import Project
    from bot.models.session import Session
    from bot.ports.jobs import JobClaims
    from bot.ports.outbound import Clock, Engine, JsonFile, Prices


@dataclass(frozen=True, kw_only=True)
class JobRunner:
    """Runner of a worker. `read_projects` returns the projects of this machine, by name."""

    engines: Engines
    claims: JobClaims
    prices: Prices
    allowance_file: JsonFile
    clock: Clock
    read_projects: Callable[[], Awaitable[Mapping[str, Project]]]

    async def run(self, claim: JobClaim) -> JobResult:
        """Do what a job says; return its result, also of a run without one. Raises `Fenced` and `NotHere`."""
        try:
            return await (self._investigate(claim) if claim.order.assignment else self._validate(claim))
        except (Fenced, NotHere):
            raise
        except TriageError as problem:
            return JobResult(problem=pack_problem(problem))

    async def _investigate(self, claim: JobClaim) -> JobResult:
        assignment = claim.order.assignment
        assert assignment is not None  # noqa: S101  # the caller looked
        projects = await self._find_projects([project.name for project in assignment.projects])
        engine = self._adapt(self.engines.engine, claim)
        return JobResult(report=await engine.investigate(assignment.evolve(projects=projects)))

    async def _validate(self, claim: JobClaim) -> JobResult:
        review, validator = claim.order.review, self.engines.validator
        if review is None or not isinstance(validator, Validator):
            raise NotHere("this replica has no validator: the settings of replicas differ")
        (project,) = await self._find_projects([review.project.name])
        own = replace(
            validator, loop=self._adapt_loop(validator.loop, claim), limits=_with_money(validator.limits, claim)
        )
        return JobResult(verdict=await own.validate(review.evolve(project=project)))

    async def _find_projects(self, names: list[str]) -> tuple[Project, ...]:
        known = await self.read_projects()
        if missing := [name for name in names if name not in known]:
            raise NotHere(f"this replica has no project {', '.join(missing)}: the settings of replicas differ")
        return tuple(known[name] for name in names)

    def _adapt(self, engine: Engine, claim: JobClaim) -> Engine:
        """Return an engine for one job: without money for a model it is the second one."""
        if not isinstance(engine, FallbackEngine) or not isinstance(engine.first, Investigator):
            return engine
        first: Engine = _Refusing(engine.first.name, claim.order.refusal)
        if claim.order.session_id:
            own = engine.first
            first = replace(own, loop=self._adapt_loop(own.loop, claim), limits=_with_money(own.limits, claim))
        return replace(engine, first=first) if claim.order.session_id or claim.order.refusal else engine.second

    def _adapt_loop(self, loop: Loop, claim: JobClaim) -> Loop:
        order, number = claim.order, f"-{claim.attempt}" if claim.attempt > 1 else ""
        ledger = Ledger(
            sessions=ClaimedSessions(self.claims, claim),
            allowance_file=self.allowance_file,  # the leader has counted it
            prices=self.prices,
            clock=self.clock,
            usd_per_day=max(0.0, round(order.usd - claim.spent_usd, 6)),
            tell=lambda _: None,
            redact=loop.ledger.redact,
        )
        continued = Continued(session_id=f"{order.session_id}{number}", spent=Spent(usd=claim.spent_usd))
        return replace(loop, ledger=ledger, continued=continued)


@dataclass(frozen=True)
class ClaimedSessions:
    """Account of one attempt (`SessionStore`)."""

    claims: JobClaims
    claim: JobClaim

    async def save(self, session: Session) -> None:
        """Save the account. Raises `Fenced` if another worker has the job by now."""
        await self.claims.save_session(self.claim, session)

    async def list_since(self, day: date) -> list[Session]:  # of the port
        """Return nothing: the claim has what earlier attempts spent."""
        return []


@dataclass(frozen=True)
class _Refusing:
    """Engine in the place of one for which the day has no money."""

    name: str
    why: str

    async def investigate(self, assignment: Assignment) -> EngineReport:  # of the port
        raise OverCap(self.why, limit="day")


def _with_money(limits: RunLimits, claim: JobClaim) -> RunLimits:
    return replace(limits, usd=min(limits.usd, claim.order.usd))
