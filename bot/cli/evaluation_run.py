"""Runs of `triage eval`: one engine asked one question after the other, with the bot's own checks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.evidence import EvidenceChecker
from bot.agents.fallback import FallbackEngine
from bot.agents.keyword import KeywordEngine
from bot.decide.evaluation import judge
from bot.decide.gate import reach_verdict
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.errors import NoKey, OverCap, TriageError
from bot.models.evaluation import JudgedAnswer
from bot.models.findings import Assignment, EngineReport, EvidenceCheck
from bot.models.verdict import Review

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from bot.agents.engines import Engines
    from bot.cli.evaluate import Setup
    from bot.models.evaluation import EvalQuestion
    from bot.models.project import Project
    from bot.models.turn import Usage
    from bot.ports.outbound import Engine

KEYWORD = "keyword"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One engine under evaluation."""

    engine: Engine
    setup: Setup
    engines: Engines | None = None
    """The engines of a model; `None` for the keyword engine."""
    validates: bool = False
    has_price: bool = True

    @property
    def spent(self) -> float:
        """Return the US dollars spent today."""
        ledger = self.engines.ledger if self.engines else None
        return ledger.spent if ledger else 0.0

    async def close(self) -> None:
        """Disconnect from the model."""
        if self.engines:
            await self.engines.close()


async def build_trial(name: str, setup: Setup, *, validates: bool, tell: Callable[[str], None]) -> Trial:
    """Build the engine with this name: the keyword engine, or the bot's own investigator on that model."""
    if name == KEYWORD:
        return Trial(engine=KeywordEngine(indexes=setup.home.indexes), setup=setup)
    from bot.adapters.clock import SystemClock
    from bot.adapters.journal import NdjsonJournal
    from bot.models.turn import Usage
    from bot.wiring.engines import build_engines

    section = setup.settings.investigator.model_copy(update={"model": name})
    settings = setup.settings.model_copy(update={"engine": "claude", "investigator": section})
    engines = build_engines(
        settings,
        setup.env,
        setup.home,
        clock=SystemClock(),
        redactor=setup.redactor,
        replies=NdjsonJournal(setup.home.replies, stop=None),
        tell=tell,
    )
    await engines.start()
    engine = engines.engine
    own = engine.first if isinstance(engine, FallbackEngine) else engine  # the keyword engine must not answer for it
    sample: Usage = Usage(input_tokens=1)
    has_price = engines.ledger is None or engines.ledger.price(name, sample) is not None
    return Trial(engine=own, setup=setup, engines=engines, validates=validates, has_price=has_price)


async def evaluate(trial: Trial, questions: Sequence[EvalQuestion]) -> AsyncGenerator[JudgedAnswer, None]:
    """Yield the judged answer to each question. `OverCap` of the day or the account, and `NoKey`, end it."""
    for question in questions:
        began, before = time.monotonic(), trial.spent
        try:
            answer = await _ask(trial, question, began)
        except TriageError as problem:
            if isinstance(problem, NoKey) or (isinstance(problem, OverCap) and problem.limit != "run"):
                raise
            answer = _failed(question, str(problem), time.monotonic() - began)
        yield answer.evolve(usd=round(trial.spent - before, 6) if trial.has_price else None)


async def _ask(trial: Trial, question: EvalQuestion, began: float) -> JudgedAnswer:
    projects = tuple(p for p in trial.setup.projects if question.project in (None, p.name))
    asked = trial.setup.redactor.redact(question.question)
    report = await trial.engine.investigate(Assignment(question=asked, projects=projects))
    seconds = time.monotonic() - began
    project = next((p for p in projects if p.name == report.project), projects[0])
    checks = await _check(report, project, trial)
    standing = {check.ref for check in checks if check.result == "ok"}
    accepted = [ref.ref for ref in report.findings.evidence_refs if ref.kind == "file" and ref.ref in standing]
    answer = judge(question, report.findings, accepted, seconds=seconds)
    if not trial.validates:
        return answer
    return answer.evolve(stopped=await _is_stopped(trial, asked, project, report, checks))


async def _check(report: EngineReport, project: Project, trial: Trial) -> tuple[EvidenceCheck, ...]:
    """Open each reference again; one that the model did not open in its run fails."""
    checker = EvidenceChecker(project.root, trial.setup.redactor, project)
    checks = [await checker.check(reference) for reference in report.findings.evidence_refs]
    return tuple(
        check.evolve(result="failed", reason="the investigator did not open it in its run")
        if check.ref in report.unopened
        else check
        for check in checks
    )


async def _is_stopped(
    trial: Trial, asked: str, project: Project, report: EngineReport, checks: tuple[EvidenceCheck, ...]
) -> bool | None:
    """Return whether the validator's verdict stops the draft; `None` without a verdict."""
    validator = trial.engines.validator if trial.engines else None
    if validator is None or any(check.result == "failed" for check in checks):
        return None  # as in the bot, such a draft never reaches the validator
    checker = EvidenceChecker(project.root, trial.setup.redactor, project)
    cited = [await checker.cited(reference) for reference in report.findings.evidence_refs]
    review = Review(
        question=asked,
        question_type="other",
        project=project,
        findings=report.findings,
        checks=checks,
        unsupported=find_unsupported(report.findings.draft_reply, asked, cited),
    )
    try:
        returned = await validator.validate(review)
    except (OverCap, NoKey):
        return None  # the paid draft is kept; the next question ends the run
    except TriageError:
        return None
    assumed = [check.evolve(result="ok") for check in checks]
    return reach_verdict(report.findings, assumed, returned).verdict != "pass"


def _failed(question: EvalQuestion, reason: str, seconds: float) -> JudgedAnswer:
    """Return the judgement of a question without an answer: wrong in each respect that applies."""
    applies = not question.refuse
    return JudgedAnswer(
        name=question.name,
        first=False if applies else None,
        among_three=False if applies else None,
        values=False if question.values else None,
        refused=None if applies else False,
        failure=reason,
        seconds=round(seconds, 3),
    )
