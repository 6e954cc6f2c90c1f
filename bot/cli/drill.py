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

from blocks.text import counted
from bot import isolation
from bot.agents.drill import Heard, checked, drilled, found_by_code
from bot.cli.drill_cases import cases_of, expected
from bot.cli.options import add_config, add_home
from bot.cli.progress import ProgressBar
from bot.config.environment import Environment, environment, forget_secrets
from bot.config.paths import config_path, home_path
from bot.config.settings import Settings, load
from bot.decide.redaction.redactor import Redactor, secret_values
from bot.errors import Misconfigured, NoKey, OverCap
from bot.reports.drill import as_data, as_text, rows
from bot.tools.trees import pinned

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
    env = environment()
    path = config_path(options.config)
    settings = load(path, home_path(options.home))
    isolation.settle(settings.security.isolation).demand()
    project = pinned(_project(settings, options.project, str(path)))
    redactor = Redactor((*env.secrets, *secret_values(os.environ, also=settings.mcp.variables)))
    forget_secrets()
    return asyncio.run(_main(options, Setting(settings, env, redactor, project)))


@dataclass(frozen=True)
class Setting:
    """Settings, environment, redactor and project of a drill."""

    settings: Settings
    env: Environment
    redactor: Redactor
    project: Project


async def _main(options: argparse.Namespace, made: Setting) -> int:
    cases = await cases_of(made.project, made.redactor, cases=options.cases, seed=options.seed)
    if options.dry_run:
        await _show(cases, made.project, as_json=options.json)
        return 0
    _note(_price(cases, made.settings))
    if not options.yes:
        raise Misconfigured("No model was asked; --yes starts it.")
    return await drill(options, made, cases, validator)


def validator(loop: Loop, ground: LlmRuntime, redactor: Redactor) -> Validate:
    """Return the bot's validator, on this loop."""
    from bot.wiring import engines

    return engines.build_validator(loop, ground, redactor).validate


async def drill(
    options: argparse.Namespace,
    made: Setting,
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
    ground = build_llm_runtime(made.settings, made.env, home, clock=clock, tell=_note, redact=made.redactor.redact)
    await ground.start()
    before = ground.ledger.spent
    loop = ground.loop(made.settings.validator_model)
    heard = Heard(loop.model)
    try:
        validate = build(replace(loop, model=heard), ground, made.redactor)
        outcomes, ended = await _outcomes(cases, made.project, validate)
    finally:
        await ground.close()
        home.unlock()
    table = rows(outcomes, scripted=heard.scripted)
    about: dict[str, Any] = {
        "project": made.project.name,
        "seed": options.seed,
        "model": heard.name,
        "answered_as": sorted(heard.names),
        "scripted": heard.scripted,
        "reviews": len(outcomes),
        "planned": len(cases),
        "ended_early": ended,
        "cost_usd": round(ground.ledger.spent - before, 6),
    }
    if options.json:
        _say(json.dumps(as_data(table, **about)))
    else:
        _say(
            f"{heard.name} on {made.project.name}: {len(outcomes)} of {counted(len(cases), 'review')}, "
            f"${about['cost_usd']:.2f}\n"
        )
        _say(as_text(table, scripted=heard.scripted))
    if ended:
        _note(f"It ended early: {ended}")
    return 1 if ended else 0


async def _outcomes(cases: Sequence[Case], project: Project, validate: Validate) -> tuple[list[DrillOutcome], str]:
    """Review the cases; return the outcomes, and the reason if it ended early."""
    progress = ProgressBar(sys.stderr, time.monotonic)
    outcomes: list[DrillOutcome] = []
    try:
        async with aclosing(drilled(cases, project, validate)) as coming:
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

    usage, model = expected(cases), settings.validator_model
    usd = PriceTable().cost(model, usage)
    cost = "the cost is not known" if usd is None else f"about ${usd:.2f}"
    most = len(cases) * settings.model.max_usd_per_run
    return (
        f"{counted(len(cases), 'review')} by {model}: about {usage.total:,} tokens, {cost} (an estimate, good to "
        f"a factor of two).\nAt most ${settings.model.max_usd_per_run:.2f} a review, ${most:.2f} in all, "
        f"and with everything else today ${settings.model.max_usd_per_day:.2f} (model.max_usd_per_run, "
        "model.max_usd_per_day)."
    )


async def _show(cases: Sequence[Case], project: Project, *, as_json: bool) -> None:
    """Print each case, and if code checks find its fault."""
    for number, case in enumerate(cases, 1):
        checks, surplus = await checked(case, project)
        found = found_by_code(case, checks, surplus)
        if as_json:
            said = {"case": number, "class": case.kind, "question": case.question, "others": case.others}
            findings = case.findings.model_dump(mode="json", exclude_none=True)
            _say(json.dumps({**said, "found_by_code": found, "unsupported": surplus, "findings": findings}))
            continue
        _say(f"{number}. {case.kind}; code {'finds it' if found else 'finds nothing'}")
        _say(f"   asked:   {case.question}\n   drafted: {case.findings.draft_reply} ({case.findings.confidence})")
        for one in case.findings.evidence_refs:
            _say(f"   cites:   {one.ref}  {(one.quote or '').strip()}")
        for other in case.others:
            _say(f"   beside:  {other}")


def _project(settings: Settings, name: str | None, path: str) -> Project:
    known = {project.name: project for project in settings.project_list}
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name in known:
        return known[name]
    names = ", ".join(known) or "none"
    raise Misconfigured(f"--project: expected the name of a project of {path}; it has: {names}")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_CASES:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {MOST_CASES}")
    return int(text)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # command-line output


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # the same, beside the output
