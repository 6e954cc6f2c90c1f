"""Hallucinated references that were caught, and long runs, by week."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.decide.gate import reach_verdict
from bot.models.decision import Round
from bot.models.thread import Thread
from bot.reports.criteria.catches import count_weeks
from tests.builders import check, findings, validator
from tests.reports.criteria.home import AT, NOW, live, session_of, thread_at, verdict

FAILED = reach_verdict(findings(), [check("failed")], None)
FABRICATED = reach_verdict(findings(), [check()], validator(verdict="bounce", spot_check_result="fabricated"))
TONE = reach_verdict(findings(), [check()], validator(tone_assessment="ai_smell"))
PASSED = reach_verdict(findings(), [check()], validator())


def judged(*verdicts: Any, by: Any = "checks") -> Thread:
    """A question whose drafts got these verdicts; all but the last were sent back."""
    rounds = tuple(
        Round(number=n, draft="It is 3.", refs=(), by=by, attack=" ".join(each.reasons))
        for n, each in enumerate(verdicts[:-1], 1)
    )
    counted = tuple(verdict(AT, "bounce", gate=each.verdict) for each in verdicts)
    return thread_at(AT, rounds=rounds, judged=counted, verdict=verdicts[-1])


@pytest.mark.parametrize(
    ("thread", "by_code", "by_validator"),
    [
        pytest.param(judged(FAILED, PASSED), 1, 0, id="sent back by code"),
        pytest.param(judged(FAILED, FAILED), 2, 0, id="twice"),
        pytest.param(judged(FABRICATED, FAILED), 1, 1, id="by both, one after the other"),
        pytest.param(judged(FABRICATED), 0, 1, id="not sent back any more"),
        pytest.param(judged(TONE, PASSED), 0, 0, id="for its tone"),
        pytest.param(judged(PASSED), 0, 0, id="passed"),
        pytest.param(judged(FAILED, PASSED, by="operator"), 0, 0, id="by an operator"),
        pytest.param(thread_at(AT), 0, 0, id="not judged"),
    ],
)
def test_each_caught_draft_counts_once(thread: Thread, by_code: int, by_validator: int) -> None:
    """In its week, by who has found it."""
    *earlier, last = count_weeks([thread], [], now=NOW)
    assert (last.caught_by_code, last.caught_by_validator) == (by_code, by_validator)
    assert not any(week.caught_by_code or week.caught_by_validator for week in earlier)


@pytest.mark.parametrize("seed", [1, 2])
def test_long_runs_count_in_the_week_of_their_start(seed: int) -> None:
    """Counted again from the raw records."""
    home = live(seed)
    raw = [each.model_dump(mode="json") for each in home.sessions]
    begun = [each["started_at"] for each in raw if each["tier"] == 2]
    for number, week in enumerate(reversed(count_weeks(home.threads, home.sessions, now=NOW))):
        last, first = NOW - timedelta(days=7 * number), NOW - timedelta(days=7 * number + 7)
        assert week.since == first
        assert week.escalations == sum(
            first.isoformat() < at.replace("Z", "+00:00") <= last.isoformat() for at in begun
        )


def test_runs_of_the_first_tier_are_none() -> None:
    """Nor are those of validators."""
    sessions = [session_of(None, AT, 1), session_of(None, AT, 2, tier=2, agent="validator")]
    assert not any(week.escalations for week in count_weeks([], sessions, now=NOW))
