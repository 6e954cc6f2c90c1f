"""`triage drill`: test the validator with seeded faulty drafts and sound ones, and count the results."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from blocks.text import format_count
from bot import isolation
from bot.agents.drill import RecordingModel, check_case, found_by_code, run_drill
from bot.cli.drill_cases import build_cases, estimate_usage
from bot.cli.options import add_config, add_home
from bot.cli.progress import ProgressBar
from bot.config.environment import Environment, forget_secrets, read_environment
from bot.config.model_parameters import validator_parameters
from bot.config.paths import config_path, home_path
from bot.config.settings import Settings, load
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured, NoKey, OverCap
from bot.reports.drill import as_data, as_text, rows
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.agents.drill import DrillOutcome, Validate
    from bot.agents.llm_runtime import LlmRuntime
    from bot.agents.loop import Loop
    from bot.decide.drill import Case
    from bot.models.project import Project

MOST_CASES = 500

_EPILOG = """\
The cases come from the project's own code: facts stated in one line, asked and answered by templates. Each class of
faults gets --cases of them, and there are three times as many sound ones. docs/drill.md explains classes and columns.

Without --yes it only prints the number of reviews and their cost. The caps of the section model apply.

example:
  triage drill --dry-run
  triage drill --project backend --cases 20 --yes
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage drill`."""
    parser.add_argument("--project", metavar="NAME", help="project to take the cases from (default: the only one)")
    parser.add_argument("--cases", type=_count, default=10, metavar="N", help="cases of each class (default: 10)")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="random seed that selects the cases (default: 1)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show the cases and the findings of code checks; ask no model"
    )
    parser.add_argument("--yes", action="store_true", help="ask the model, and pay for it")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    add_config(parser)
    add_home(parser)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Run the drill. Exit codes: 0 done, 1 ended early, 2 not started."""
    os.umask(0o077)
    env = read_environment()
    path = config_path(options.config)
    settings = load(path, home_path(options.home))
    isolation.configure(settings.security.isolation).demand()
    project = pin_tree(_project(settings, options.project, str(path)))
    redactor = Redactor((*env.secrets, *secret_values(os.environ, also=settings.mcp.variables)))
    forget_secrets()
    return asyncio.run(_main(options, DrillSetup(settings, env, redactor, project)))


@dataclass(frozen=True)
class DrillSetup:
    """Settings, environment, redactor and project of a drill."""

    settings: Settings
    env: Environment
    redactor: Redactor
    project: Project


async def _main(options: argparse.Namespace, setup: DrillSetup) -> int:
    cases = await build_cases(setup.project, setup.redactor, cases=options.cases, seed=options.seed)
    if options.dry_run:
        await _show(cases, setup.project, as_json=options.json)
        return 0
    _note(_price(cases, setup.settings))
    if not options.yes:
        raise Misconfigured("No model was asked; --yes starts it.")
    return await drill(options, setup, cases, build_validator)


def build_validator(loop: Loop, runtime: LlmRuntime, redactor: Redactor) -> Validate:
    """Return the bot's validator, on this loop."""
    from bot.wiring import engines

    return engines.build_validator(loop, runtime, redactor).validate


async def drill(
    options: argparse.Namespace,
    setup: DrillSetup,
    cases: Sequence[Case],
    build: Callable[[Loop, LlmRuntime, Redactor], Validate],
) -> int:
    """Review each case with the model and print the results."""
    from bot.adapters.clock import SystemClock
    from bot.adapters.home import Home
    from bot.wiring.engines import build_llm_runtime

    home = Home(home_path(options.home))
    closed = await home.lock()  # bot and drill share the day's cap, and only one process can count it
    if closed:
        _note(closed)
    clock = SystemClock()
    runtime = build_llm_runtime(setup.settings, setup.env, home, clock=clock, tell=_note, redact=setup.redactor.redact)
    await runtime.start()
    before = runtime.ledger.spent
    loop = runtime.loop(setup.settings.validator_model, validator_parameters(setup.settings))
    recorder = RecordingModel(loop.model)
    try:
        validate = build(replace(loop, model=recorder), runtime, setup.redactor)
        outcomes, stop_reason = await _outcomes(cases, setup.project, validate)
    finally:
        await runtime.close()
        home.unlock()
    about: dict[str, Any] = {
        "project": setup.project.name,
        "seed": options.seed,
        "model": recorder.name,
        "answered_as": sorted(recorder.names),
        "scripted": recorder.scripted,
        "reviews": len(outcomes),
        "planned": len(cases),
        "ended_early": stop_reason,
        "cost_usd": round(runtime.ledger.spent - before, 6),
    }
    _print_results(outcomes, about, as_json=options.json)
    if stop_reason:
        _note(f"It ended early: {stop_reason}")
    return 1 if stop_reason else 0


def _print_results(outcomes: Sequence[DrillOutcome], about: dict[str, Any], *, as_json: bool) -> None:
    table = rows(outcomes, scripted=about["scripted"])
    if as_json:
        _say(json.dumps(as_data(table, **about)))
        return
    reviews = f"{len(outcomes)} of {format_count(about['planned'], 'review')}"
    _say(f"{about['model']} on {about['project']}: {reviews}, ${about['cost_usd']:.2f}\n")
    _say(as_text(table, scripted=about["scripted"]))


async def _outcomes(cases: Sequence[Case], project: Project, validate: Validate) -> tuple[list[DrillOutcome], str]:
    """Review the cases; return the outcomes, and the reason if it ended early."""
    progress = ProgressBar(sys.stderr, time.monotonic)
    outcomes: list[DrillOutcome] = []
    try:
        async with aclosing(run_drill(cases, project, validate)) as coming:
            async for outcome in coming:
                outcomes.append(outcome)
                progress.show(len(outcomes), len(cases))
    except (OverCap, NoKey) as problem:
        return outcomes, str(problem)
    finally:
        progress.end()
    return outcomes, ""


def _price(cases: Sequence[Case], settings: Settings) -> str:
    """Describe the cost of the drill in a sentence."""
    from bot.adapters.prices import PriceTable

    usage, model = estimate_usage(cases), settings.validator_model
    usd = PriceTable().cost(model, usage)
    cost = "the cost is not known" if usd is None else f"about ${usd:.2f}"
    max_cost = len(cases) * settings.model.max_usd_per_run
    return (
        f"{format_count(len(cases), 'review')} by {model}: about {usage.total:,} tokens, {cost} (an estimate, good to "
        f"a factor of two).\nAt most ${settings.model.max_usd_per_run:.2f} a review, ${max_cost:.2f} in all, "
        f"and with everything else today ${settings.model.max_usd_per_day:.2f} (model.max_usd_per_run, "
        "model.max_usd_per_day)."
    )


async def _show(cases: Sequence[Case], project: Project, *, as_json: bool) -> None:
    """Print each case, and if code checks find its fault."""
    for number, case in enumerate(cases, 1):
        checks, surplus = await check_case(case, project)
        is_found = found_by_code(case, checks, surplus)
        if as_json:
            fields = {"case": number, "class": case.kind, "question": case.question, "others": case.others}
            findings = case.findings.model_dump(mode="json", exclude_none=True)
            _say(json.dumps({**fields, "found_by_code": is_found, "unsupported": surplus, "findings": findings}))
            continue
        _say(f"{number}. {case.kind}; code {'finds it' if is_found else 'finds nothing'}")
        _say(f"   asked:   {case.question}\n   drafted: {case.findings.draft_reply} ({case.findings.confidence})")
        for reference in case.findings.evidence_refs:
            _say(f"   cites:   {reference.ref}  {(reference.quote or '').strip()}")
        for other in case.others:
            _say(f"   beside:  {other}")


def _project(settings: Settings, name: str | None, path: str) -> Project:
    projects = {project.name: project for project in settings.project_list}
    if name is None and len(projects) == 1:
        return next(iter(projects.values()))
    if name in projects:
        return projects[name]
    names = ", ".join(projects) or "none"
    raise Misconfigured(f"--project: expected the name of a project of {path}; it has: {names}")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_CASES:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {MOST_CASES}")
    return int(text)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # command-line output


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # the same, beside the output
