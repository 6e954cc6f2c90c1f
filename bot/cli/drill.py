"""`triage drill`: test the validator with seeded faulty drafts and sound ones, and count the results."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blocks.cost import format_cost
from blocks.text import format_count
from bot.agents.drill import RecordingModel, check_case, found_by_code, run_drill
from bot.cli.drill_cases import build_cases, estimate_usage
from bot.cli.paid_run import (
    Ending,
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
from bot.cli.progress import ProgressBar
from bot.config.model_parameters import validator_parameters
from bot.config.paths import config_path
from bot.config.settings import Settings, load
from bot.errors import Misconfigured
from bot.reports.drill import as_data, as_text, rows
from bot.tools.trees import pin_tree

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.agents.drill import DrillOutcome, Validate
    from bot.agents.llm_runtime import LlmRuntime
    from bot.agents.loop import Loop
    from bot.cli.paid_run import DayMoney, PaidSetup
    from bot.decide.drill import Case
    from bot.decide.redaction.redactor import Redactor
    from bot.models.cost import Cost
    from bot.models.project import Project

MOST_CASES = 500

_EPILOG = """\
The cases come from the project's own code: facts stated in one line, asked and answered by templates. Each class of
faults gets --cases of them, and there are three times as many sound ones. docs/drill.md explains classes and columns.

Without --yes it prints the number of reviews and their cost, and asks first. The caps of the section model apply.

example:
  triage drill --dry-run
  triage drill --project backend --cases 20 --yes
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage drill`."""
    parser.add_argument("--project", metavar="NAME", help="project to take the cases from (default: the only one)")
    parser.add_argument(
        "--cases", type=number_up_to(MOST_CASES), default=10, metavar="N", help="cases of each class (default: 10)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="random seed that selects the cases (default: 1)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show the cases and the findings of code checks; ask no model"
    )
    add_paid_options(parser, _EPILOG)


def main(options: argparse.Namespace) -> int:
    """Run the drill. Exit codes: 0 done, 1 ended early, 2 not started, 130 interrupted."""

    def load_projects(home: Path) -> tuple[Settings, tuple[Project, ...]]:
        path = config_path(options.config)
        settings = load(path, home)
        return settings, (pin_tree(_project(settings, options.project, str(path))),)

    setup = set_up(options, load_projects)
    project = setup.projects[0]
    cases = asyncio.run(build_cases(project, setup.redactor, cases=options.cases, seed=options.seed))
    if options.dry_run:
        asyncio.run(_show(cases, project, as_json=options.json))
        return 0
    money = asyncio.run(read_money(setup))
    confirm(_price(cases, setup.settings, money), is_agreed=options.yes)
    return asyncio.run(drill(options, setup, cases, build_validator))


def build_validator(loop: Loop, runtime: LlmRuntime, redactor: Redactor) -> Validate:
    """Return the bot's validator, on this loop."""
    from bot.wiring import engines

    return engines.build_validator(loop, runtime, redactor).validate


async def drill(
    options: argparse.Namespace,
    setup: PaidSetup,
    cases: Sequence[Case],
    build: Callable[[Loop, LlmRuntime, Redactor], Validate],
) -> int:
    """Run the drill with the validator that `build` returns, and print the result; return the exit code."""
    from bot.adapters.clock import SystemClock
    from bot.adapters.home import Home
    from bot.wiring.engines import build_llm_runtime
    from bot.wiring.storage import open_storage

    home = Home(setup.home)
    if closed := await home.lock():  # bot and drill share the day's cap; otherwise each would count it alone
        note(closed)
    clock, redact = SystemClock(), setup.redactor.redact
    outcomes: list[DrillOutcome] = []
    ending, progress = Ending(), ProgressBar(sys.stderr, time.monotonic)
    try:
        async with open_storage(setup.settings, setup.env, setup.home) as storage:
            runtime = build_llm_runtime(
                setup.settings, setup.env, storage, clock=clock, tell=lambda _: None, redact=redact
            )
            try:
                await runtime.start()
                recorder, validate = record_validator(setup, runtime, build)
                with catch_end(ending):
                    async with aclosing(run_drill(cases, setup.projects[0], validate)) as coming:
                        async for outcome in coming:
                            outcomes.append(outcome)
                            progress.show(len(outcomes), len(cases))
            finally:
                progress.end()
                await runtime.close()
    finally:
        home.unlock()
    about: dict[str, Any] = {
        "project": setup.projects[0].name,
        "seed": options.seed,
        "model": recorder.name,
        "answered_as": sorted(recorder.names),
        "scripted": recorder.scripted,
        "reviews": len(outcomes),
        "planned": len(cases),
        "ended_early": ending.reason,
        **_cost_fields(runtime.ledger.total),
    }
    _print_results(outcomes, about, as_json=options.json)
    if ending.reason:
        note(f"It ended early: {ending.reason}")
    return ending.exit_code


def record_validator(
    setup: PaidSetup, runtime: LlmRuntime, build: Callable[[Loop, LlmRuntime, Redactor], Validate] = build_validator
) -> tuple[RecordingModel, Validate]:
    """Return the validator of the settings, and the record of the names that its model answers by."""
    loop = runtime.loop(setup.settings.validator_model, validator_parameters(setup.settings))
    recorder = RecordingModel(loop.model)
    return recorder, build(replace(loop, model=recorder), runtime, setup.redactor)


def _cost_fields(cost: Cost) -> dict[str, Any]:
    """Return the fields of a cost: its maximum, the part that is not reported, and its words."""
    return {"cost_usd": cost.usd, "unsure_usd": cost.unsure_usd, "cost": format_cost(cost)}


def _print_results(outcomes: Sequence[DrillOutcome], about: dict[str, Any], *, as_json: bool) -> None:
    table = rows(outcomes, scripted=about["scripted"])
    if as_json:
        say(json.dumps(as_data(table, **about)))
        return
    reviews = f"{len(outcomes)} of {format_count(about['planned'], 'review')}"
    say(f"{about['model']} on {about['project']}: {reviews}, {about['cost']}\n")
    say(as_text(table, scripted=about["scripted"]))


def _price(cases: Sequence[Case], settings: Settings, money: DayMoney) -> str:
    """Describe the cost of the drill."""
    from bot.adapters.prices import PriceTable

    usage, model = estimate_usage(cases), settings.validator_model
    usd = PriceTable().cost(model, usage)
    cost = "the cost is not known" if usd is None else f"about ${usd:.2f}"
    return (
        f"{format_count(len(cases), 'review')} by {model}: about {usage.total:,} tokens, {cost} (an estimate, good to "
        f"a factor of two).\n{describe_cost({model: len(cases)}, settings, money)}"
    )


async def _show(cases: Sequence[Case], project: Project, *, as_json: bool) -> None:
    """Print each case, and if code checks find its fault."""
    for number, case in enumerate(cases, 1):
        checks, surplus = await check_case(case, project)
        is_found = found_by_code(case, checks, surplus)
        if as_json:
            fields = {"case": number, "class": case.kind, "question": case.question, "others": case.others}
            findings = case.findings.model_dump(mode="json", exclude_none=True)
            say(json.dumps({**fields, "found_by_code": is_found, "unsupported": surplus, "findings": findings}))
            continue
        say(f"{number}. {case.kind}; code {'finds it' if is_found else 'finds nothing'}")
        say(f"   asked:   {case.question}\n   drafted: {case.findings.draft_reply} ({case.findings.confidence})")
        for reference in case.findings.evidence_refs:
            say(f"   cites:   {reference.ref}  {(reference.quote or '').strip()}")
        for other in case.others:
            say(f"   beside:  {other}")


def _project(settings: Settings, name: str | None, path: str) -> Project:
    projects = {project.name: project for project in settings.project_list}
    if name is None and len(projects) == 1:
        return next(iter(projects.values()))
    if name in projects:
        return projects[name]
    names = ", ".join(projects) or "none"
    raise Misconfigured(f"--project: expected the name of a project of {path}; it has: {names}")
