"""Runs of `triage eval`: one engine asked one question after the other, with the bot's own checks."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.agents.drill import run_drill
from bot.agents.evidence import EvidenceChecker
from bot.agents.fallback import FallbackEngine
from bot.agents.keyword import KeywordEngine
from bot.cli.doctor_model import ask_one_question
from bot.cli.drill import record_validator
from bot.decide.evaluation import judge
from bot.decide.gate import is_stopped
from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.errors import NoKey, OverCap, TriageError, Unreachable
from bot.models.cost import Cost
from bot.models.evaluation import EngineEvaluation, JudgedAnswer
from bot.models.findings import Assignment, EngineReport, EvidenceCheck
from bot.models.verdict import Review
from bot.reports.drill import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.agents.drill import DrillOutcome, RecordingModel
    from bot.agents.engines import Engines
    from bot.agents.ledger import Ledger
    from bot.cli.paid_run import PaidSetup
    from bot.cli.planted_faults import PlantedFaults
    from bot.models.evaluation import EvalQuestion
    from bot.models.project import Project
    from bot.ports.outbound import Engine
    from bot.ports.storage import Storage

KEYWORD = "keyword"
_SILENT = 3
"""Questions in a row without an answer of the server that end the evaluation of a model."""


@dataclass(kw_only=True)
class Trial:
    """One engine under evaluation, and its results so far."""

    name: str
    engine: Engine
    setup: PaidSetup
    engines: Engines | None = None
    """The engines of a model; `None` for the keyword engine."""
    validates: bool = False
    answers: dict[str, JudgedAnswer] = field(default_factory=dict)
    """Answers without secrets, by the name of their question."""
    outcomes: list[DrillOutcome] = field(default_factory=list)
    planted: PlantedFaults | None = None
    validator: RecordingModel | None = None

    @property
    def ledger(self) -> Ledger | None:
        """Return the account of the model's cost."""
        return self.engines.ledger if self.engines else None

    @property
    def cost(self) -> Cost:
        """Return the cost of this trial so far, also of runs without an answer."""
        return self.ledger.total if self.ledger else Cost()

    def to_evaluation(self) -> EngineEvaluation:
        """Return the results so far."""
        is_scripted = self.validator is not None and self.validator.scripted
        planted = rows(self.outcomes, scripted=is_scripted) if self.outcomes else ()
        return EngineEvaluation(
            engine=self.name,
            answers=tuple(self.answers.values()),
            planted=tuple(planted),
            planted_id=self.planted.fingerprint if self.planted and planted else "",
            usd=self.cost.most_usd,
            unsure_usd=self.cost.unsure_usd,
            unknown_runs=self.cost.unknown_runs,
        )

    async def close(self) -> None:
        """Disconnect from the model."""
        if self.engines:
            await self.engines.close()


def build_trial(
    name: str, setup: PaidSetup, storage: Storage, *, validates: bool, planted: PlantedFaults | None
) -> Trial:
    """Build the engine with this name: the keyword engine, or the bot's own investigator on that model."""
    from bot.adapters.clock import SystemClock
    from bot.adapters.home import Home
    from bot.wiring.engines import build_engines

    home = Home(setup.home)
    if name == KEYWORD:
        return Trial(name=name, engine=KeywordEngine(indexes=home.indexes), setup=setup)
    setup = for_model(name, setup)
    engines = build_engines(
        setup.settings,
        setup.env,
        home,
        storage,
        clock=SystemClock(),
        redactor=setup.redactor,
        replies=storage.journal("replies", None),
        tell=lambda _: None,
    )
    engine = engines.engine
    own = engine.first if isinstance(engine, FallbackEngine) else engine  # the keyword engine must not answer for it
    return Trial(
        name=name,
        engine=own,
        setup=setup,
        engines=engines,
        validates=validates,
        planted=planted,
    )


def for_model(name: str, setup: PaidSetup) -> PaidSetup:
    """Return the set-up with this model as the investigator's, and as the validator's if that names no other."""
    section = setup.settings.investigator.model_copy(update={"model": name})
    settings = setup.settings.model_copy(update={"engine": "claude", "investigator": section})
    return replace(setup, settings=settings)


async def run_trial(trial: Trial, questions: Sequence[EvalQuestion], progress: Callable[[], None]) -> None:
    """Ask all questions, then let the validator review the planted faults. Raises `TriageError` at an early end.

    `progress` is called after each new result.
    """
    if runtime := trial.engines.runtime if trial.engines else None:
        await runtime.start()
        for model in dict.fromkeys((trial.name, *([trial.setup.settings.validator_model] if trial.validates else []))):
            await ask_one_question(runtime, model, trial.setup.settings, trial.setup.env)
    silent = 0
    for question in questions:
        problem = await _answer(trial, question, progress)
        silent = silent + 1 if isinstance(problem, Unreachable) else 0
        if problem and silent == _SILENT:
            raise Unreachable(f"{_SILENT} questions in a row have no answer: {problem}") from problem
    if runtime and (planted := trial.planted):
        trial.validator, validate = record_validator(trial.setup, runtime)
        async with aclosing(run_drill(planted.cases, planted.project, validate)) as outcomes:
            async for outcome in outcomes:
                trial.outcomes.append(outcome)
                progress()


async def _answer(trial: Trial, question: EvalQuestion, progress: Callable[[], None]) -> TriageError | None:
    """Record the judged answer, and again with the validator's verdict; return the reason for having none.

    Raises `OverCap` of the day or the account, and `NoKey`.
    """
    began, before = time.monotonic(), trial.cost
    projects = tuple(p for p in trial.setup.projects if question.project in (None, p.name))
    asked = trial.setup.redactor.redact(question.question)
    problem: TriageError | None = None
    try:
        report = await trial.engine.investigate(Assignment(question=asked, projects=projects))
    except TriageError as raised:
        if _ends_all(raised):
            raise
        problem = raised
        answer = _failed(question, str(problem), time.monotonic() - began)
    else:
        seconds = time.monotonic() - began
        project = next((p for p in projects if p.name == report.project), projects[0])
        checks = await _check(report, project, trial)
        standing = {check.ref for check in checks if check.result == "ok"}
        accepted = [ref.ref for ref in report.findings.evidence_refs if ref.kind == "file" and ref.ref in standing]
        answer = judge(question, report.findings, accepted, seconds=seconds)
    _record(trial, answer, before)
    if trial.validates and not problem:  # the draft is recorded first: it is paid for
        try:
            answer = await _review(trial, answer, asked, project, report, checks)
        finally:
            _record(trial, answer, before)
    progress()
    return problem


def _record(trial: Trial, answer: JudgedAnswer, before: Cost) -> None:
    cost = trial.cost.minus(before)
    costly = answer.evolve(usd=cost.most_usd, unsure_usd=cost.unsure_usd)
    data = trial.setup.redactor.value(costly.model_dump(mode="json"))
    trial.answers[answer.name] = JudgedAnswer.model_validate(data)


def _ends_all(problem: TriageError) -> bool:
    """Return whether all further runs on this model would fail alike."""
    return isinstance(problem, NoKey) or (isinstance(problem, OverCap) and problem.limit != "run")


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


async def _review(
    trial: Trial,
    answer: JudgedAnswer,
    asked: str,
    project: Project,
    report: EngineReport,
    checks: tuple[EvidenceCheck, ...],
) -> JudgedAnswer:
    """Return the answer with the validator's verdict on its draft."""
    validator = trial.engines.validator if trial.engines else None
    if validator is None or any(check.result == "failed" for check in checks):
        return answer  # as in the bot, such a draft never reaches the validator
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
    except TriageError as problem:
        if _ends_all(problem):
            raise
        return answer.evolve(review_failure=str(problem))
    return answer.evolve(stopped=is_stopped(report.findings, returned))


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
