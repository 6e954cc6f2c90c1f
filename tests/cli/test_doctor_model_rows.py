"""Rows of `triage doctor --model`: speed, cost and the next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.adapters.claude.faults import Unfinished
from bot.agents.model_probe import ProbeResult
from bot.cli.doctor_model_rows import find_probe_seconds, measure_speed, next_step, report, report_cost
from bot.errors import Stalled, Stopped, TriageError, Unreachable
from bot.models.cost import Cost
from bot.models.turn import ReplyFigures, Turn, Usage
from tests.cli.test_doctor_model import settings

if TYPE_CHECKING:
    from pathlib import Path


def turn(*, seconds: float, first: float, tokens: int) -> Turn:
    """A streamed turn of so many tokens."""
    figures = ReplyFigures(first_seconds=first, seconds=seconds, is_streamed=True, is_counted=True)
    usage = Usage(output_tokens=tokens)
    return Turn(text="1 2", calls=(), stop="answered", usage=usage, content=(), figures=figures)


def test_an_answer_without_words_has_no_speed() -> None:
    """Nor has one that failed."""
    empty = turn(seconds=0.001, first=0, tokens=2)
    failed = ProbeResult(name="stream", turns=(empty,), problem=TriageError("the answer is empty"))
    assert measure_speed([failed]) is None


def test_a_missing_use_is_no_missing_price() -> None:
    """The cost of a known price is a maximum; the cost of an unknown one is none."""
    results = [ProbeResult(name="stream", calls=2)]
    some = report_cost(results, Cost(usd=0.02, unsure_usd=0.01), "recorded").detail
    assert some == "$0.0200 at most, of which $0.0100 known, for 2 calls, recorded; the use of some is not reported"
    assert "the price is not known" in report_cost(results, Cost(unknown_runs=2), "recorded").detail


def test_a_slow_model_is_told_with_the_time_of_an_investigation(tmp_path: Path) -> None:
    """The speed counts from the first words on."""
    results = [ProbeResult(name="stream", turns=(turn(seconds=32, first=2, tokens=150),))]
    assert measure_speed(results) == 5
    (_, speed) = report(results, settings(tmp_path, "http://127.0.0.1:1"), "http://127.0.0.1:1")
    assert speed.ok is None
    assert speed.detail.startswith("5 tokens a second: the 5,000 tokens of an investigation take about 17 minutes")
    assert "investigator.hard_cap_runtime_min (5)" in speed.detail


def test_a_form_that_fits_at_the_second_try_is_a_note(tmp_path: Path) -> None:
    """Some runs will end so."""
    again = turn(seconds=1, first=1, tokens=1)
    (row,) = report([ProbeResult(name="form", turns=(again, again))], settings(tmp_path, "http://[::1]:1"), "")
    assert (row.ok, "only after a correction" in row.detail) == (None, True)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Stalled("the model did not answer", seconds=120), "use a faster model, or raise model.timeout_s (120)"),
        (Stopped("it took longer", why="limit"), "use a faster model, or raise model.timeout_s (120)"),
        (Unfinished("not complete"), "use a faster model, or raise model.timeout_s (120)"),
        (Unreachable("odd"), ""),
    ],
)
def test_a_failure_has_its_next_step(tmp_path: Path, problem: TriageError, said: str) -> None:
    """Where the sentence of the failure does not say it."""
    step = next_step(problem, settings(tmp_path, "http://127.0.0.1:1"), "http://127.0.0.1:1")
    assert step.startswith(said)
    assert bool(step) == bool(said)


@pytest.mark.parametrize(
    ("timeout", "seconds", "step"),
    [
        (10, 120, "use a faster model, or raise model.timeout_s (10) to more than 120"),
        (150, 150, "use a faster model, or raise model.timeout_s (150)"),
        (600, 600, "use a faster model"),
    ],
)
def test_the_named_limit_is_the_one_that_ends_a_question(
    tmp_path: Path, timeout: float, seconds: float, step: str
) -> None:
    """The setting's, or the doctor's own where that is longer; no step names more than a setting may have."""
    given = settings(tmp_path, "http://127.0.0.1:1")
    given = given.model_copy(update={"model": given.model.model_copy(update={"timeout_s": timeout})})
    assert find_probe_seconds(given) == seconds
    assert next_step(Unfinished("not complete"), given, "http://127.0.0.1:1") == step
