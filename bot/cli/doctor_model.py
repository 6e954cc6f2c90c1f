"""`triage doctor --model`: ask the models of the settings short questions, and report what their server can do."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from blocks.text import format_count
from bot.adapters.claude import ANTHROPIC
from bot.adapters.claude.faults import NoServer, NotOffered
from bot.agents.model_probe import PROBES, probe
from bot.cli.doctor_check import DoctorCheck
from bot.cli.progress import ProgressBar
from bot.config.model_parameters import investigator_parameters
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured, NoKey, OverCap, Refused, Stalled, Stopped, TriageError, Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

    from bot.agents.llm_runtime import LlmRuntime
    from bot.agents.loop import Loop
    from bot.agents.model_probe import ProbeResult
    from bot.config.environment import Environment
    from bot.config.settings import Settings

PROBE_SECONDS = 120.0
"""Deadline of each question; a local server may have to load its model first."""
MODEL_SECONDS = 300.0
"""Deadline of all questions to one model."""
MAX_TOKENS = 4_096
"""Tokens of an answer at most, thoughts included: all answers are short."""
RUN_TOKENS = 5_000
"""Tokens that an investigation writes, for an estimate of its time."""
_TICK = 0.2
_End = Literal["", "late", "interrupted"]


async def check_configured_models(config: Path, home: Path, env: Environment) -> AsyncIterator[DoctorCheck]:
    """Ask each model of a settings file, or report the faults of that file."""
    from bot.config.settings import load

    try:
        settings = load(config, home, max_complaints=None)
    except TriageError as problem:
        for line in str(problem).splitlines():
            yield DoctorCheck("settings", False, line)
        return
    async for check in check_models(settings, env, home):
        yield check


async def check_models(settings: Settings, env: Environment, home: Path) -> AsyncIterator[DoctorCheck]:
    """Ask each model of the settings. The cost is booked in the ledger of the home."""
    names = dict.fromkeys((settings.investigator.model, settings.validator_model, settings.chat_model))
    address = find_address(settings, env)
    async with _open_runtime(settings, env, home) as (runtime, counted):
        for name in filter(None, names):
            key = "with a key" if env.anthropic_api_key else "without a key"
            yield DoctorCheck("model", True, f"{name} at {_without_user(address)}, {key}")
            before = runtime.ledger.total.usd
            results, end = await _ask(runtime, name, settings)
            for check in report(results, settings, address):
                yield check
            if end == "late":
                yield DoctorCheck("model", False, f"not done after {MODEL_SECONDS:.0f} s; {_slow(settings)}")
            if any(result.turns for result in results):
                yield report_cost(results, runtime.ledger.total.usd - before, counted)
            if end == "interrupted":
                raise asyncio.CancelledError


def find_address(settings: Settings, env: Environment) -> str:
    """Return the address of the model's server."""
    return settings.model.base_url or env.anthropic_base_url or ANTHROPIC


@asynccontextmanager
async def _open_runtime(settings: Settings, env: Environment, home_path: Path) -> AsyncIterator[tuple[LlmRuntime, str]]:
    """Open the runtime of the home; with it comes a phrase on the budget that the cost counts in."""
    from bot.adapters.clock import SystemClock
    from bot.adapters.home import Home
    from bot.wiring.engines import build_llm_runtime

    home = Home(home_path)
    redact = Redactor((*env.secrets, *secret_values(os.environ, also=settings.secret_variables))).redact
    runtime = build_llm_runtime(settings, env, home, clock=SystemClock(), tell=lambda _: None, redact=redact)
    try:
        await home.lock()
        await runtime.start()
        counted = "counted in the budget of today"
    except Misconfigured:  # a bot runs on it, and keeps the day's account in its own process
        await runtime.start(owns_home=False)
        counted = "recorded; the bot counts it in the budget of today from its next start on"
    try:
        yield runtime, counted
    finally:
        await runtime.close()
        home.unlock()


async def ask_one_question(runtime: LlmRuntime, name: str, settings: Settings, env: Environment) -> None:
    """Ask a model the first short question. Raises `TriageError` with the reason of a failure and the next step."""
    limits = {"seconds": PROBE_SECONDS, "usd": settings.model.max_usd_per_run}
    async with aclosing(probe(_build_loop(runtime, name, settings), **limits, number=1)) as coming:
        async for result in coming:
            if result.problem:
                step = next_step(result.problem, settings, find_address(settings, env))
                raise TriageError(f"{result.problem}{step and f'; {step}'}")


def _build_loop(runtime: LlmRuntime, name: str, settings: Settings) -> Loop:
    parameters = investigator_parameters(settings)
    return runtime.loop(name, replace(parameters, max_tokens=min(parameters.max_tokens, MAX_TOKENS)))


async def _ask(runtime: LlmRuntime, name: str, settings: Settings) -> tuple[list[ProbeResult], _End]:
    """Return the results of the probes, and their end: Ctrl-C keeps those so far."""
    results: list[ProbeResult] = []
    loop = _build_loop(runtime, name, settings)
    ticking = asyncio.create_task(_show_progress(results), name="progress")
    try:
        async with (
            asyncio.timeout(MODEL_SECONDS),
            aclosing(probe(loop, seconds=PROBE_SECONDS, usd=settings.model.max_usd_per_run)) as coming,
        ):
            async for result in coming:
                results.append(result)
    except TimeoutError:
        return results, "late"
    except asyncio.CancelledError:
        return results, "interrupted"
    finally:
        ticking.cancel()
    return results, ""


async def _show_progress(results: Sequence[ProbeResult]) -> None:
    bar = ProgressBar(sys.stderr, time.monotonic)
    try:
        while True:
            bar.show(len(results), len(PROBES))
            await asyncio.sleep(_TICK)
    finally:
        bar.end()


def report(results: Sequence[ProbeResult], settings: Settings, address: str) -> Iterator[DoctorCheck]:
    """Return a row for each probe, then notes on parameters and counts, and the speed."""
    for result in results:
        if result.problem:
            step = next_step(result.problem, settings, address)
            yield DoctorCheck(f"model {result.name}", False, f"{result.problem}{step and f'; {step}'}")
        else:
            yield _report_success(result)
    figures = [turn.figures for result in results for turn in result.turns if turn.figures]
    if refused := dict.fromkeys(name for each in figures for name in each.left_out):
        yield DoctorCheck("model parameters", None, f"the server refuses {', '.join(refused)}; all calls go without")
    if not all(each.is_counted for each in figures):
        yield DoctorCheck("model usage", None, "the server reports no tokens, so costs are estimates or unknown")
    if speed := measure_speed(results):
        yield _report_speed(speed, settings)


def _report_success(result: ProbeResult) -> DoctorCheck:
    name, last = f"model {result.name}", result.turns[-1]
    figures = last.figures
    if result.name == "question" and figures:
        return DoctorCheck(name, True, f"answered in {figures.seconds:.1f} s{last.model and f', as {last.model}'}")
    if result.name == "stream" and figures:
        if figures.is_streamed:
            return DoctorCheck(
                name, True, f"the answer is streamed, its first words after {figures.first_seconds:.1f} s"
            )
        return DoctorCheck(
            name, None, "the answer is not streamed: set model.timeout_s to the seconds of the longest answer"
        )
    if result.name == "form" and len(result.turns) > 1:
        return DoctorCheck(name, None, "the answer fits only after a correction; some runs will end without a draft")
    detail = "the tool was called, and its result used" if result.name == "tool call" else "the answer fits its form"
    return DoctorCheck(name, True, detail)


def measure_speed(results: Sequence[ProbeResult]) -> float | None:
    """Return the tokens a second of the long answer, from its first words on where it is streamed."""
    turn = next((result.turns[-1] for result in results if result.name == "stream" and result.turns), None)
    if turn is None or turn.figures is None or not turn.usage.output_tokens:
        return None
    seconds = turn.figures.seconds
    if turn.figures.is_streamed and seconds > turn.figures.first_seconds:
        seconds -= turn.figures.first_seconds
    return turn.usage.output_tokens / seconds if seconds else None


def _report_speed(speed: float, settings: Settings) -> DoctorCheck:
    minutes, cap = RUN_TOKENS / speed / 60, settings.investigator.hard_cap_runtime_min
    detail = f"{speed:.0f} tokens a second"
    if minutes <= cap:
        return DoctorCheck("model speed", True, detail)
    needed = f"the {RUN_TOKENS:,} tokens of an investigation take about {minutes:.0f} minutes"
    return DoctorCheck("model speed", None, f"{detail}: {needed}, and {_slow(settings)}")


def report_cost(results: Sequence[ProbeResult], usd: float, counted: str) -> DoctorCheck:
    """Return the row of the cost, `usd`, which includes a call without an answer."""
    calls = format_count(sum(len(result.turns) for result in results), "call")
    costs = [result.usd for result in results]
    if None in costs:
        return DoctorCheck("model cost", None, f"{calls}; the price is not known, so only limits of tokens hold")
    return DoctorCheck("model cost", True, f"${usd:.4f} for {calls}, {counted}")


def next_step(problem: TriageError, settings: Settings, address: str) -> str:
    """Return the next step after a failure; empty where its own sentence says it."""
    match problem:
        case NoServer() | NotOffered():
            return _correct_address(problem, address)
        case NoKey():
            return "the key is wrong or no longer valid: replace it" if "accept" in str(problem) else ""
        case Stalled() | Stopped(why="limit" | "stalled"):
            return _slow(settings)
        case Unreachable(temporary=True):
            return "try again later"
        case Refused():
            return "the model may lack what was asked for, such as tools: use another one, or read the server's log"
        case Unreachable() | OverCap():
            return ""
        case _:
            return "use a larger model, or one with a template for tools"


def _correct_address(problem: NoServer | NotOffered, address: str) -> str:
    if isinstance(problem, NoServer):
        start = f"start the server, or correct model.base_url ({_without_user(address)})"
        return "check the network and HTTPS_PROXY" if address == ANTHROPIC else start
    if address.rstrip("/").endswith("/v1"):
        return "model.base_url ends before /v1: remove that"
    names = "use a name that the server lists (`ollama list`), or correct model.base_url"
    return names if "knows no model" in str(problem) else "there is no Messages API: correct model.base_url"


def _slow(settings: Settings) -> str:
    model, cap = settings.model, settings.investigator.hard_cap_runtime_min
    return (
        f"use a faster model, or raise model.timeout_s ({model.timeout_s:g}) and investigator.hard_cap_runtime_min "
        f"({cap:g})"
    )


def _without_user(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
