"""`triage eval`: ask engines and models the same questions, judge the answers, and compare them with the last run."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot.cli.demo_projects import write_demo
from bot.cli.evaluation_questions import find_missing_places, read_file, refuse_faults
from bot.cli.evaluation_run import KEYWORD, Trial, build_trial, for_model, run_trial
from bot.cli.paid_run import (
    Ending,
    PaidSetup,
    add_paid_options,
    catch_end,
    confirm,
    describe_cost,
    note,
    number_up_to,
    read_money,
    say,
    set_up,
)
from bot.cli.planted_faults import plant_faults
from bot.cli.progress import ProgressBar
from bot.config.paths import config_path, named_config
from bot.config.projects import DEMO
from bot.config.settings import Settings, load
from bot.models.evaluation import Evaluation
from bot.reports.evaluation import as_data, as_text, compare
from bot.runtime.atomic_file import replace_file
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.cli.planted_faults import PlantedFaults
    from bot.decide.redaction.redactor import Redactor
    from bot.models.evaluation import EvalQuestion
    from bot.models.project import Project

STARTER = Path(__file__).with_name("starter_questions.jsonl")
_RUNS_COMPARED = 200
_MOST_QUESTIONS = 1_000_000

_EPILOG = """\
FILE has one question a line, as {"question": "…", "places": ["path:first-last"], "values": ["5"], "project": "…"}, or
{"question": "…", "refuse": true} where no place answers it. Without FILE, a starter set about the demo's projects.
Models cost money: without --yes it asks first. docs/evaluation.md explains the figures.

example:
  triage eval
  triage eval questions.jsonl --engine keyword --engine claude-opus-5-5 --validate --yes
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage eval`."""
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="questions, one JSON object a line")
    parser.add_argument(
        "--engine",
        action="append",
        type=_engine_name,
        metavar="NAME",
        help="keyword, or the name of a model; may be repeated (default: keyword)",
    )
    parser.add_argument("--limit", type=number_up_to(_MOST_QUESTIONS), metavar="N", help="only the first N questions")
    parser.add_argument(
        "--validate",
        action="store_true",
        help="let the validator review each draft of a model, and drafts with planted faults",
    )
    add_paid_options(parser, _EPILOG)


def main(options: argparse.Namespace) -> int:
    """Run the evaluation. Exit codes: 0 done, 1 ended early, 2 not started, 130 interrupted."""
    path = options.file or STARTER
    by_line, complaints = read_file(path)
    setup = set_up(options, lambda home: _load(options, home))
    if options.file:
        complaints += asyncio.run(find_missing_places(by_line, setup.projects))
    refuse_faults(path, complaints)
    questions = [*by_line.values()][: options.limit]
    engines = tuple(dict.fromkeys(options.engine or [KEYWORD]))
    models = [engine for engine in engines if engine != KEYWORD]
    planted = asyncio.run(_plant(setup, questions)) if options.validate and models else None
    plan = Plan(setup=setup, engines=engines, questions=questions, planted=planted, validates=options.validate)
    if models:
        money = asyncio.run(read_money(setup))
        about = f"{format_count(len(questions), 'question')} for {', '.join(models)}: "
        cost = describe_cost(plan.count_runs(), setup.settings, money)
        confirm(about + cost, is_agreed=options.yes)
    return asyncio.run(_main(options, plan))


def _engine_name(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("expected keyword, or the name of a model")
    return text.strip()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Engines and questions of an evaluation."""

    setup: PaidSetup
    engines: tuple[str, ...]
    questions: Sequence[EvalQuestion]
    planted: PlantedFaults | None
    validates: bool

    @property
    def models(self) -> list[str]:
        """Return the engines that cost money."""
        return [engine for engine in self.engines if engine != KEYWORD]

    def count_runs(self) -> dict[str, int]:
        """Return the maximum number of runs by model, with one to test each model."""
        runs = Counter[str]()
        for engine in self.models:
            runs[engine] += 1 + len(self.questions)
            if self.validates:
                validator = for_model(engine, self.setup).settings.validator_model
                runs[validator] += len(self.questions) + (len(self.planted.cases) if self.planted else 0)
                runs[validator] += validator != engine
        return dict(runs)

    @property
    def size(self) -> int:
        """Return the number of results."""
        reviews = len(self.planted.cases) * len(self.models) if self.planted else 0
        return len(self.questions) * len(self.engines) + reviews


@dataclass
class Record:
    """The results so far, kept in the home after each answer that was paid for."""

    folder: Path
    redactor: Redactor
    began: datetime
    trials: list[Trial] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """Return the file of this evaluation."""
        return self.folder / f"{self.began:%Y%m%dT%H%M%S%f}.json"

    def to_evaluation(self, *, is_over: bool) -> Evaluation:
        """Return the results."""
        reasons = self.reasons if is_over else [*self.reasons, "it did not reach its end"]
        return Evaluation(
            saved_at=self.began.isoformat(),
            engines=tuple(trial.to_evaluation() for trial in self.trials),
            ended_early=self.redactor.redact("; ".join(reasons)),
        )

    def save(self, *, is_over: bool) -> None:
        """Write the results, if there are any."""
        evaluation = self.to_evaluation(is_over=is_over)
        if any(engine.answers for engine in evaluation.engines):
            self.folder.mkdir(mode=0o700, exist_ok=True)
            replace_file(self.path, evaluation.model_dump_json().encode(), point="evaluations")


async def _main(options: argparse.Namespace, plan: Plan) -> int:
    from bot.adapters.home import Home
    from bot.wiring.storage import open_storage

    home = Home(plan.setup.home)
    if plan.models and (closed := await home.lock()):  # bot and evaluation share the day's cap
        note(closed)
    earlier = _read_earlier(home.evaluations)
    record = Record(home.evaluations, plan.setup.redactor, datetime.now(UTC))
    progress = ProgressBar(sys.stderr, time.monotonic)
    ending = Ending()
    try:
        async with open_storage(plan.setup.settings, plan.setup.env, plan.setup.home) as storage:
            for engine in plan.engines:
                trial = build_trial(engine, plan.setup, storage, validates=plan.validates, planted=plan.planted)
                record.trials.append(trial)
                ending = Ending()
                try:
                    with catch_end(ending):
                        await run_trial(trial, plan.questions, lambda: _advance(record, progress, plan.size))
                finally:
                    await trial.close()
                if ending.reason:
                    record.reasons.append(f"{engine}: {ending.reason}")
                if ending.is_interrupted:
                    break
    finally:
        progress.end()
        record.save(is_over=True)
        home.unlock()
    _print_results(options, record, earlier)
    return 130 if ending.is_interrupted else 1 if record.reasons else 0


def _advance(record: Record, progress: ProgressBar, size: int) -> None:
    if record.trials[-1].name != KEYWORD:
        record.save(is_over=False)
    progress.show(sum(len(trial.answers) + len(trial.outcomes) for trial in record.trials), size)


def _print_results(options: argparse.Namespace, record: Record, earlier: Sequence[Evaluation]) -> None:
    """Print the results with the difference from earlier ones."""
    evaluation = record.to_evaluation(is_over=True)
    differences = compare(evaluation, earlier)
    if record.path.exists():
        note(f"Kept in {record.path}")
    say(json.dumps(as_data(evaluation, differences)) if options.json else as_text(evaluation, differences))
    if evaluation.ended_early:
        note(f"It ended early: {evaluation.ended_early}")


async def _plant(setup: PaidSetup, questions: Sequence[EvalQuestion]) -> PlantedFaults | None:
    """Return planted faults about the projects of the questions, if their code states enough facts."""
    names = {question.project for question in questions}
    projects = [project for project in setup.projects if None in names or project.name in names]
    planted = await plant_faults(projects, setup.redactor)
    if planted is None:
        note("No faults are planted: the code of the projects states too few facts, such as constants and defaults.")
    return planted


def _read_earlier(folder: Path) -> list[Evaluation]:
    """Return the newest earlier runs, newest first; files that do not parse are left out."""
    runs = []
    for path in sorted(folder.glob("*.json"), reverse=True)[:_RUNS_COMPARED]:
        try:
            runs.append(Evaluation.model_validate_json(path.read_bytes()))
        except (ValueError, OSError):
            note(f"{path}: left out of the comparison, it cannot be read")
    return runs


def _load(options: argparse.Namespace, home: Path) -> tuple[Settings, tuple[Project, ...]]:
    """Load settings and projects; the starter set has the demo's projects, and needs no settings."""
    path = config_path(options.config)
    if options.file:
        settings = load(path, home)
        return settings, tuple(pin_tree(project) for project in settings.project_list)
    demo = load(write_demo(home / DEMO / "evaluation"), home)
    settings = load(path, home) if named_config(options.config) or path.exists() else demo
    return settings, demo.project_list
