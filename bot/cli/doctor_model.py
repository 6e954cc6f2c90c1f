"""`triage doctor --model`: ask the models of the settings short questions, and report what their server can do."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.adapters.claude import ANTHROPIC
from bot.agents.model_probe import PROBES, ProbeResult, probe
from bot.cli.doctor_check import DoctorCheck
from bot.cli.doctor_model_rows import find_probe_seconds, next_step, report, report_cost, without_user
from bot.cli.progress import ProgressBar
from bot.config.model_parameters import investigator_parameters
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured, TriageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence
    from pathlib import Path

    from bot.agents.llm_runtime import LlmRuntime
    from bot.agents.loop import Loop
    from bot.config.environment import Environment
    from bot.config.settings import Settings

_MODEL_TIMES = 2.5
"""Deadline of all questions to one model, as a multiple of that of one."""
MAX_TOKENS = 4_096
"""Tokens of an answer at most, thoughts included: all answers are short."""
_TICK = 0.2


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
            yield DoctorCheck("model", True, f"{name} at {without_user(address)}, {key}")
            before = runtime.ledger.total
            results, is_interrupted = await _ask(runtime, name, settings)
            for check in report(results, settings, address):
                yield check
            if any(result.calls for result in results):
                yield report_cost(results, runtime.ledger.total.minus(before), counted)
            if is_interrupted:
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
    from bot.wiring.storage import open_storage

    home = Home(home_path)
    redact = Redactor((*env.secrets, *secret_values(os.environ, also=settings.secret_variables))).redact
    async with open_storage(settings, env, home_path) as storage:
        runtime = build_llm_runtime(settings, env, storage, clock=SystemClock(), tell=lambda _: None, redact=redact)
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
    async with aclosing(_probe(runtime, name, settings, 1)) as coming:
        async for result in coming:
            if result.problem:
                step = next_step(result.problem, settings, find_address(settings, env))
                raise TriageError(f"{result.problem}{step and f'; {step}'}")


def _build_loop(runtime: LlmRuntime, name: str, settings: Settings) -> Loop:
    parameters = investigator_parameters(settings)
    return runtime.loop(name, replace(parameters, max_tokens=min(parameters.max_tokens, MAX_TOKENS)))


def _probe(runtime: LlmRuntime, name: str, settings: Settings, number: int) -> AsyncGenerator[ProbeResult]:
    seconds, usd = find_probe_seconds(settings), settings.model.max_usd_per_run
    loop = _build_loop(runtime, name, settings)
    return probe(loop, seconds=seconds, usd=usd, all_seconds=_MODEL_TIMES * seconds, number=number)


async def _ask(runtime: LlmRuntime, name: str, settings: Settings) -> tuple[list[ProbeResult], bool]:
    """Return the result of each probe; Ctrl-C, which is returned, too, keeps those so far."""
    results: list[ProbeResult] = []
    ticking = asyncio.create_task(_show_progress(results), name="progress")
    try:
        async with aclosing(_probe(runtime, name, settings, len(PROBES))) as coming:
            async for result in coming:
                results.append(result)
    except asyncio.CancelledError:
        cut, *rest = PROBES[len(results) :]
        results.append(ProbeResult(name=cut.name, calls=1, not_done="interrupted"))
        results += [ProbeResult(name=planned.name, not_done="not asked: interrupted") for planned in rest]
        return results, True
    finally:
        ticking.cancel()
    return results, False


async def _show_progress(results: Sequence[ProbeResult]) -> None:
    bar = ProgressBar(sys.stderr, time.monotonic)
    try:
        while True:
            bar.show(len(results), len(PROBES))
            await asyncio.sleep(_TICK)
    finally:
        bar.end()
