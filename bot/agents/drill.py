"""Drill: give sound and faulty drafts to a validator, and record the faults caught by code and by the model.

Results of code are recorded apart from the model's, and withheld from the validator for faults that code looks for:
otherwise the model would get credit for the code's work. A verdict counts as the gate takes it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.agents.evidence import EvidenceChecker
from bot.decide.drill import SOUND, Case
from bot.decide.drill.faults import FAULTS, RISKY, UNSUPPORTED
from bot.decide.gate import is_stopped
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.decide.risk.risky_advice import find_risky_advice
from bot.errors import NoKey, OverCap, TriageError
from bot.models.verdict import Review, ValidatorReturn

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

    from bot.models.findings import EvidenceCheck
    from bot.models.model_request import ModelRequest
    from bot.models.project import Project
    from bot.models.turn import Turn
    from bot.ports.outbound import Model

    Validate = Callable[[Review], Awaitable[ValidatorReturn]]

AT_ONCE = 4
"""Reviews that run concurrently."""
SCRIPTED = "scripted"
"""Prefix of the model name of the scripted server in tests and demonstrations."""


@dataclass(frozen=True, kw_only=True)
class DrillOutcome:
    """Outcome of one case."""

    case: Case
    by_code: bool
    """True if code found something wrong, including a false alarm."""
    validator_return: ValidatorReturn | None = None
    """`None` when there is no verdict; `failure` has the reason."""
    failure: str = ""

    @property
    def stopped(self) -> bool:
        """Return whether the model's verdict alone stops the draft."""
        return self.validator_return is not None and is_stopped(self.case.findings, self.validator_return)

    @property
    def named(self) -> bool | None:
        """Return whether the model reported the fault in its own field; `None` where there is no such field or
        verdict."""
        fault = FAULTS.get(self.case.kind)
        names_it = fault.names_it if fault else None
        return names_it(self.validator_return) if names_it and self.validator_return else None


@dataclass
class RecordingModel:
    """`Model` that records the model names in the server's answers."""

    model: Model
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.name, self.max_output = self.model.name, self.model.max_output

    async def reply(self, request: ModelRequest) -> Turn:
        """Return the model's turn."""
        turn = await self.model.reply(request)
        self.names.add(turn.model)
        return turn

    @property
    def scripted(self) -> bool:
        """Return whether any answer came from a script."""
        return any(name.startswith(SCRIPTED) for name in (self.name, *self.names))


async def check_case(case: Case, project: Project) -> tuple[tuple[EvidenceCheck, ...], tuple[str, ...]]:
    """Check a case by code: its references, and the claims of its draft beyond them."""
    checker, references = EvidenceChecker(project.root), case.findings.evidence_refs
    checks = tuple([await checker.check(reference) for reference in references])
    cited = [await checker.cited(reference) for reference in references]
    return checks, find_unsupported(case.findings.draft_reply, case.question, cited)


def found_by_code(case: Case, checks: Sequence[EvidenceCheck], surplus: Sequence[str]) -> bool:
    """Return whether code found something: anything in a sound case, else the fault of its class."""
    failed = any(check.result == "failed" for check in checks)
    if case.kind == SOUND:
        return failed or bool(surplus) or bool(find_risky_advice(case.findings.draft_reply))
    if case.kind == RISKY:
        return bool(find_risky_advice(case.findings.draft_reply))
    return bool(surplus) if case.kind == UNSUPPORTED else failed


async def run_drill(cases: Sequence[Case], project: Project, validate: Validate) -> AsyncGenerator[DrillOutcome, None]:
    """Yield the outcome of each case, as they come.

    A review without a verdict is an outcome, too. `OverCap` of the day or the account, and `NoKey`, end the drill
    and cancel the running reviews.
    """
    seats = asyncio.Semaphore(AT_ONCE)

    async def run_case(case: Case) -> DrillOutcome:
        async with seats:
            return await _try_case(case, project, validate)

    tasks = [asyncio.create_task(run_case(case)) for case in cases]
    try:
        for task in asyncio.as_completed(tasks):
            yield await task
    finally:
        for started in tasks:
            started.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _try_case(case: Case, project: Project, validate: Validate) -> DrillOutcome:
    checks, surplus = await check_case(case, project)
    by_code = found_by_code(case, checks, surplus)
    withheld = case.kind not in (SOUND, RISKY) and FAULTS[case.kind].by_code
    review = Review(
        question=case.question,
        question_type=case.question_type,
        project=project,
        findings=case.findings,
        checks=() if withheld else checks,
        unsupported=() if withheld else surplus,
        others=case.others,
    )
    try:
        return DrillOutcome(case=case, by_code=by_code, validator_return=await validate(review))
    except TriageError as problem:
        if isinstance(problem, NoKey) or (isinstance(problem, OverCap) and problem.limit != "run"):
            raise
        return DrillOutcome(case=case, by_code=by_code, failure=str(problem))
