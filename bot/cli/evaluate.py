"""`triage eval`: ask engines and models the same questions, judge the answers, and compare them with the last run."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot import isolation
from bot.cli.demo_projects import write_demo
from bot.cli.evaluation_run import KEYWORD, Trial, build_trial, evaluate
from bot.cli.options import add_config, add_home
from bot.cli.progress import ProgressBar
from bot.config.environment import Environment, forget_secrets, read_environment
from bot.config.paths import config_path, home_path, named_config
from bot.config.projects import DEMO
from bot.config.settings import Settings, load
from bot.decide.evaluation import read_questions
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured, NoKey, OverCap
from bot.models.evaluation import EngineEvaluation, Evaluation
from bot.reports.evaluation import as_data, as_text, compare
from bot.runtime.atomic_file import replace_file
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.adapters.home import Home
    from bot.models.evaluation import EvalQuestion, JudgedAnswer
    from bot.models.project import Project

STARTER = Path(__file__).with_name("starter_questions.jsonl")
_RUNS_COMPARED = 200

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
        metavar="NAME",
        help="keyword, or the name of a model; may be repeated (default: keyword)",
    )
    parser.add_argument("--limit", type=_count, metavar="N", help="only the first N questions")
    parser.add_argument("--validate", action="store_true", help="let the validator review each draft of a model")
    parser.add_argument("--yes", action="store_true", help="ask the models, and pay for it")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    add_config(parser)
    add_home(parser)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Run the evaluation. Exit codes: 0 done, 1 ended early, 2 not started, 130 interrupted."""
    from bot.adapters.home import Home

    os.umask(0o077)
    questions = _read(options.file or STARTER)[: options.limit]
    env = read_environment()
    home = Home(home_path(options.home))
    settings, projects = _load(options, home)
    isolation.configure(settings.security.isolation).demand()
    known = {project.name for project in projects}
    for question in questions:
        if question.project and question.project not in known:
            raise Misconfigured(
                f"{question.name}: expected a project of the settings ({', '.join(sorted(known))}), "
                f"got {question.project}"
            )
    redactor = Redactor((*env.secrets, *secret_values(os.environ, also=settings.mcp.variables)))
    engines = tuple(dict.fromkeys(options.engine or [KEYWORD]))
    _confirm(options, settings, engines, len(questions))
    forget_secrets()
    return asyncio.run(_main(options, Setup(settings, env, home, redactor, projects, engines), questions))


@dataclass(frozen=True)
class Setup:
    """Settings, environment, home, redactor, projects and engines of an evaluation."""

    settings: Settings
    env: Environment
    home: Home
    redactor: Redactor
    projects: tuple[Project, ...]
    engines: tuple[str, ...]


async def _main(options: argparse.Namespace, setup: Setup, questions: Sequence[EvalQuestion]) -> int:
    asks_model = any(engine != KEYWORD for engine in setup.engines)
    if asks_model and (closed := await setup.home.lock()):  # bot and evaluation share the day's cap
        _note(closed)
    done: list[EngineEvaluation] = []
    reason, is_interrupted = "", False
    progress = ProgressBar(sys.stderr, time.monotonic)
    size = len(questions) * len(setup.engines)
    try:
        for number, engine in enumerate(setup.engines):
            answers: list[JudgedAnswer] = []
            trial: Trial | None = None
            try:
                trial = await build_trial(engine, setup, validates=options.validate, tell=_note)
                async for answer in evaluate(trial, questions):
                    answers.append(answer)
                    progress.show(number * len(questions) + len(answers), size)
            except (OverCap, NoKey) as problem:
                reason = str(problem)
            except asyncio.CancelledError:  # Ctrl-C keeps the answers so far
                reason, is_interrupted = "interrupted", True
                if task := asyncio.current_task():
                    task.uncancel()
            finally:
                if trial:
                    await trial.close()
            done.append(EngineEvaluation(engine=engine, answers=tuple(answers)))
            if reason:
                break
    finally:
        progress.end()
        setup.home.unlock()
    _finish(options, setup, done, reason)
    return 130 if is_interrupted else 1 if reason else 0


def _finish(options: argparse.Namespace, setup: Setup, done: Sequence[EngineEvaluation], reason: str) -> None:
    """Keep the results, redacted, and print them with the difference from earlier ones."""
    now = datetime.now(UTC)
    made = Evaluation(saved_at=now.isoformat(), engines=tuple(done), ended_early=reason)
    evaluation = Evaluation.model_validate(setup.redactor.value(made.model_dump(mode="json")))
    folder = setup.home.evaluations
    differences = compare(evaluation, _read_earlier(folder))
    if any(engine.answers for engine in done):
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / f"{now:%Y%m%dT%H%M%S%f}.json"
        replace_file(path, evaluation.model_dump_json().encode(), point="evaluations")
        _note(f"Kept in {path}")
    _say(json.dumps(as_data(evaluation, differences)) if options.json else as_text(evaluation, differences))
    if reason:
        _note(f"It ended early: {evaluation.ended_early}")


def _read_earlier(folder: Path) -> list[Evaluation]:
    """Return the newest earlier runs, newest first; files that do not parse are left out."""
    runs = []
    for path in sorted(folder.glob("*.json"), reverse=True)[:_RUNS_COMPARED]:
        try:
            runs.append(Evaluation.model_validate_json(path.read_bytes()))
        except (ValueError, OSError):
            _note(f"{path}: left out of the comparison, it cannot be read")
    return runs


def _read(path: Path) -> list[EvalQuestion]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(f"{path}: expected questions as JSON lines in UTF-8: {problem}") from None
    questions, complaints = read_questions(lines)
    if complaints:
        raise Misconfigured("\n".join(f"{path}: {complaint}" for complaint in complaints[:10]))
    if not questions:
        raise Misconfigured(f"{path}: expected at least one question")
    return questions


def _load(options: argparse.Namespace, home: Home) -> tuple[Settings, tuple[Project, ...]]:
    """Load settings and projects; the starter set has the demo's projects, and needs no settings."""
    path = config_path(options.config)
    if options.file:
        settings = load(path, home.path)
        return settings, tuple(pin_tree(project) for project in settings.project_list)
    demo = load(write_demo(home.path / DEMO / "evaluation"), home.path)
    settings = load(path, home.path) if named_config(options.config) or path.exists() else demo
    return settings, demo.project_list


def _confirm(options: argparse.Namespace, settings: Settings, engines: Sequence[str], count: int) -> None:
    """Name the maximum cost, and wait for a confirmation. Raises `Misconfigured` without one."""
    models = [engine for engine in engines if engine != KEYWORD]
    if not models:
        return
    runs = count * len(models) * (2 if options.validate else 1)
    per_run, per_day = settings.model.max_usd_per_run, settings.model.max_usd_per_day
    _note(
        f"{format_count(count, 'question')} for {', '.join(models)}: {format_count(runs, 'run')}, at most "
        f"${min(runs * per_run, per_day):.2f}: ${per_run:.2f} a run, and with everything else today ${per_day:.2f} "
        "(model.max_usd_per_run, model.max_usd_per_day). Models without a known price are not capped in dollars."
    )
    if options.yes:
        return
    if sys.stdin and sys.stdin.isatty():
        print("Ask the models? [y/N] ", end="", file=sys.stderr, flush=True)  # noqa: T201  # a question at the terminal
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise Misconfigured("No model was asked; --yes starts it.")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a number from 1 on")
    return int(text)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # command-line output


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # the same, beside the output
