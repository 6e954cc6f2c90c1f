"""Criteria of long runs, answer times and misses, by table."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.models.baseline import Baseline
from bot.models.escalation import Escalation
from bot.models.message_sample import SampledMessage
from tests.builders import CHANNEL
from tests.reports.criteria.home import AT, NOW, history, measured, session_of, thread_at, times, told


def long_run(outcome: str, **changes: Any) -> Any:
    """A run of tier 2 that took two hours."""
    ended = AT + timedelta(hours=2)
    return session_of(thread_at(AT), AT, 1, tier=2, outcome=outcome, **({"saved_at": ended} | changes))


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (("answered", "limit", "failed"), ("met", 1.0, 3, 0)),
        (("answered", "died"), ("not met", 0.5, 2, 0)),
        (("running", "cancelled"), ("too few cases", None, 0, 1)),
    ],
)
def test_completion(outcomes: tuple[str, ...], expected: tuple[Any, ...]) -> None:
    """Any result is one; runs that people stopped are none."""
    assert told(measured("AC-07", sessions=[*map(long_run, outcomes), session_of(None, AT, 9)])) == expected


@pytest.mark.parametrize(
    ("command", "transcript", "started", "expected"),
    [
        ("tmux attach -t x", "transcript.log", AT, ("met", 1.0, 1, 0)),
        ("", "transcript.log", AT, ("not met", 0.0, 1, 0)),
        ("tmux attach -t x", None, AT, ("not met", 0.0, 1, 0)),
        ("", None, None, ("too few cases", None, 0, 1)),
    ],
)
def test_watching(command: str, transcript: str | None, started: Any, expected: tuple[Any, ...]) -> None:
    """A run that has not started cannot be watched."""
    run = Escalation(tier=2, reason="long", decided_at=AT, started_at=started, watch_command=command)
    thread = thread_at(AT, escalation=run, escalation_transcript_path=transcript)
    assert told(measured("AC-08", threads=[thread, thread_at(AT)])) == expected


@pytest.mark.parametrize(
    ("outcome", "start_hours", "left_minutes", "expected"),
    [
        ("answered", 1, 121, ("met", 1.0, 1, 0)),
        ("died", 1, 121, ("not met", 0.0, 1, 0)),
        ("answered", 1, 30, ("not met", 0.0, 1, 0)),
        ("answered", 3, 121, ("too few cases", None, 0, 1)),
    ],
)
def test_survival(outcome: str, start_hours: int, left_minutes: int, expected: tuple[Any, ...]) -> None:
    """The bot was started during the run, and the thread went on after that."""
    changes = history(AT, (1, "investigating", "escalated"), (left_minutes, "escalated", "awaiting-validation"))
    thread = thread_at(AT, status_history=changes)
    starts = [AT + timedelta(hours=start_hours)]
    assert told(measured("AC-09", threads=[thread], sessions=[long_run(outcome)], starts=starts)) == expected
    assert told(measured("AC-09", sessions=[long_run(outcome)], starts=starts))[2] == 0


BEFORE = times(("help", (60,) * 20))


@pytest.mark.parametrize(
    ("before", "seconds", "expected"),
    [
        pytest.param(BEFORE, (90,) * 20, ("met", 90, 20, 0), id="30 seconds more"),
        pytest.param(BEFORE, (91,) * 20, ("not met", 91, 20, 0), id="slower"),
        pytest.param(BEFORE, (1,) * 15, ("too few cases", 1, 15, 5), id="few since"),
        pytest.param(None, (90,) * 20, ("too few cases", 90, 20, 20), id="no baseline"),
        pytest.param(times(("help", (60,) * 19)), (1,) * 20, ("too few cases", 1, 20, 1), id="few before"),
    ],
)
def test_answer_times(before: Baseline | None, seconds: tuple[int, ...], expected: tuple[Any, ...]) -> None:
    """Both sides need their cases."""
    assert told(measured("AC-10", before=before, weeks=[None, times(("help", seconds))])) == expected


def test_answer_times_are_shown_by_channel() -> None:
    """In minutes, the median and the 90th percentile, before and since."""
    criterion = measured("AC-10", before=BEFORE, weeks=[times(("ops", (120,) * 10)), times(("help", (30, 90)))])
    assert criterion.note == (
        "Minutes, median and 90th percentile: before 1/1, since 2/2. #help 1/1, 1/1.5; #ops unknown/unknown, 2/2."
    )
    assert [each.cases for each in criterion.trend] == [10, 2]
    assert criterion.trend[-1].since == NOW - timedelta(days=7)
    assert (
        measured("AC-10", weeks=[]).note
        == "No baseline: 20 answers from before Triage are missing (`triage report --baseline`)."
    )


def sampled(number: int, judgement: Any, **changes: Any) -> SampledMessage:
    """A message of a sample."""
    values = {"chat_id": CHANNEL, "message_id": f"{number}.1", "classification": "ack", "stratum": "s", "weight": 1.0}
    return SampledMessage(**(values | {"judgement": judgement, "at": AT} | changes))


def test_misses() -> None:
    """Each message counts by what it stands for; those that nobody judged do not count."""
    rows = [sampled(n, "fine") for n in range(99)]
    assert told(measured("AC-11", samples=rows)) == ("too few cases", 0.0, 99, 1)
    assert told(measured("AC-11", samples=[*rows, sampled(99, None, at=None)]))[2] == 99
    criterion = measured("AC-11", samples=[*rows, sampled(99, "missed")])
    assert told(criterion) == ("met", 0.01, 100, 0)
    assert criterion.note == "1 of 100 judged messages were missed."
    assert told(measured("AC-11", samples=[*rows, sampled(99, "missed", weight=2.0)]))[0] == "not met"
