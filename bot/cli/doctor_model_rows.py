"""Rows of `triage doctor --model`: the result of each question to a model, its speed and cost, and the next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blocks.cost import format_cost
from blocks.text import format_count
from bot.adapters.claude import ANTHROPIC
from bot.adapters.claude.faults import NoServer, NotOffered, Unfinished
from bot.cli.doctor_check import DoctorCheck
from bot.errors import NoKey, OverCap, Refused, Stalled, Stopped, TriageError, Unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.agents.model_probe import ProbeResult
    from bot.config.settings import Settings
    from bot.models.cost import Cost
    from bot.models.turn import ReplyFigures

_LEAST_PROBE_SECONDS = 120.0
"""Seconds of each question at least; a local server may have to load its model first."""
_LONGEST_TIMEOUT = 600
"""Maximum of `model.timeout_s`."""
RUN_TOKENS = 5_000
"""Tokens that an investigation writes, for an estimate of its time."""


def find_probe_seconds(settings: Settings) -> float:
    """Return the deadline of each question in seconds."""
    return max(_LEAST_PROBE_SECONDS, settings.model.timeout_s)


def report(results: Sequence[ProbeResult], settings: Settings, address: str) -> Iterator[DoctorCheck]:
    """Return a row for each probe, then notes on parameters and counts, and the speed."""
    for result in results:
        if result.not_done:
            yield DoctorCheck(f"model {result.name}", None, result.not_done)
        elif result.problem:
            step = next_step(result.problem, settings, address)
            yield DoctorCheck(f"model {result.name}", False, f"{result.problem}{step and f'; {step}'}")
        else:
            yield _report_success(result)
    figures = [turn.figures for result in results for turn in result.turns if turn.figures]
    if parameters := _describe_refusals(figures):
        yield DoctorCheck("model parameters", None, parameters)
    if not all(each.is_counted for each in figures):
        yield DoctorCheck(
            "model usage",
            None,
            "the server does not report the use of all calls; the others cost at most what was reserved",
        )
    if speed := measure_speed(results):
        yield _report_speed(speed, settings)


def _describe_refusals(figures: Sequence[ReplyFigures]) -> str:
    """Describe the parameters that the server refuses: of those left out, the ones that no other call was sent with."""
    left_out = dict.fromkeys(name for each in figures for name in each.left_out)
    accepted = {name for each in figures for name in each.sent}
    refused = ", ".join(name for name in left_out if name not in accepted)
    others = ", ".join(name for name in left_out if name in accepted)
    if not refused:
        return others and f"the server refused some calls with {others}, which went without"
    also = f" (some also without {others})" if others else ""
    return f"the server refuses {refused}; all calls go without{also}"


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
    answered = (result for result in results if result.name == "stream" and result.turns and not result.problem)
    turn = next((result.turns[-1] for result in answered), None)
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
    return DoctorCheck(
        "model speed",
        None,
        f"{detail}: {needed}; use a faster model, or raise investigator.hard_cap_runtime_min ({cap:g})",
    )


def report_cost(results: Sequence[ProbeResult], cost: Cost, counted: str) -> DoctorCheck:
    """Return the row of the cost, which includes calls without an answer."""
    calls = format_count(sum(result.calls for result in results), "call")
    if cost.most_usd is None:
        return DoctorCheck("model cost", None, f"{calls}; the price is not known, so only limits of tokens hold")
    is_known = not cost.unsure_usd and not cost.unknown_runs
    comma = "" if is_known else ","
    why = "" if is_known else "; the use of some is not reported"
    return DoctorCheck(
        "model cost", is_known or None, f"{format_cost(cost, places=4)}{comma} for {calls}, {counted}{why}"
    )


def next_step(problem: TriageError, settings: Settings, address: str) -> str:
    """Return the next step after a failure; empty where its own sentence says it."""
    match problem:
        case NoServer() | NotOffered():
            return _correct_address(problem, address)
        case NoKey():
            return "the key is wrong or no longer valid: replace it" if "accept" in str(problem) else ""
        case Stalled() | Unfinished() | Stopped(why="limit" | "stalled"):
            return _wait_longer(problem, settings.model.timeout_s)
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
        start = f"start the server, or correct model.base_url ({without_user(address)})"
        return "check the network and HTTPS_PROXY" if address == ANTHROPIC else start
    if address.rstrip("/").endswith("/v1"):
        return "model.base_url ends before /v1: remove that"
    names = "use a name that the server lists (`ollama list`), or correct model.base_url"
    return names if "knows no model" in str(problem) else "there is no Messages API: correct model.base_url"


def _wait_longer(problem: TriageError, timeout: float) -> str:
    """Return the next step after a question without an answer in time."""
    if timeout >= _LONGEST_TIMEOUT:
        return "use a faster model"
    least = f" to more than {_LEAST_PROBE_SECONDS:g}" if timeout < _LEAST_PROBE_SECONDS else ""
    above = "" if isinstance(problem, Stalled) else least
    return f"use a faster model, or raise model.timeout_s ({timeout:g}){above}"


def without_user(address: str) -> str:
    """Return an address without its user and password."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
