"""Simulated teams through the maturity gate: the short form of `python -m measure.auto_reply`."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from bot.decide.auto_reply.maturity import WEEK, WEEKS, WeekCount, judge_maturity, judge_weeks
from bot.models.judged_draft import JudgedDraft, Pool
from measure.auto_reply import MONDAY, Team, describe, share_opened, simulate_teams

POOL = Pool(project="shop", kind="api_contract", validator="claude-opus-5-5")


@pytest.mark.parametrize(
    ("team", "lowest", "highest"),
    [
        pytest.param(Team(rate=0.05), 0.0, 0.05, id="5 %"),
        pytest.param(Team(rate=0.05, per_week=38), 0.0, 0.05, id="5 %, as few drafts as can open it"),
        pytest.param(Team(rate=0.005), 0.8, 0.92, id="0.5 %"),
        pytest.param(Team(rate=0.0, per_week=37), 0.0, 0.0, id="too few drafts"),
        pytest.param(Team(rate=0.0, weeks=4), 1.0, 1.0, id="none wrong in four weeks"),
        pytest.param(Team(rate=0.0, weeks=3), 0.0, 0.0, id="none wrong in three"),
    ],
)
def test_the_gate_tells_good_teams_from_bad_ones(team: Team, lowest: float, highest: float) -> None:
    """In 300 teams each."""
    assert lowest <= share_opened(simulate_teams(team, 300)) <= highest


def test_what_goes_out_is_wrong_as_often_as_the_team() -> None:
    """No less, since the gate knows rates only; and unjudged replies close it, since they are no cases."""
    judged, unjudged = (simulate_teams(Team(rate=0.005, weeks=26, judged=share), 60) for share in (1.0, 0.0))
    sent = sum(run.sent for run in judged)
    assert 0.003 < sum(run.sent_wrong for run in judged) / sent < 0.008
    assert sum(run.open_weeks for run in unjudged) < sum(run.open_weeks for run in judged)
    assert describe(Team(rate=0.005, weeks=26), judged).split()[:4] == ["0.5%", "50", "26", "100%"]


def test_the_counts_of_the_simulation_are_those_of_drafts() -> None:
    """The gate says the same of weeks of drafts and of their counts."""
    lot = random.Random(3)
    for _ in range(20):
        drafts, counts = [], [WeekCount()] * WEEKS
        for week in range(8):
            bad = [lot.random() < 0.004 for _ in range(60)]
            counts.append(WeekCount(len(bad), sum(bad)))
            drafts += [
                JudgedDraft(
                    question_id=f"T-C-{week}.{number}/1",
                    pool=POOL,
                    at=MONDAY + week * WEEK + timedelta(hours=number),
                    verdict="pass",
                    judgement="edited" if is_wrong else "approved",
                )
                for number, is_wrong in enumerate(bad)
            ]
            since = MONDAY + (week + 1 - WEEKS) * WEEK
            by_counts = judge_weeks((*counts[-WEEKS:], WeekCount()), kind=POOL.kind, production=0, since=since)
            assert judge_maturity(drafts, POOL, now=MONDAY + (week + 1) * WEEK) == by_counts
