"""Simulated teams through the maturity gate: when it opens, what it lets out, and how much of that is wrong.

Run by `make bench`. Each draft of a team is wrong with the team's rate, by a seeded lot. An operator judges every draft
that waits for a press; of the replies that go out automatically only a share is judged.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING

from bot.decide.auto_reply.maturity import WEEKS, WeekCount, judge_weeks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TEAMS = 10_000
MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
_RATES = (0.05, 0.03, 0.02, 0.01, 0.005, 0.002)
_VOLUMES = (38, 50, 100, 400)
"""Passed drafts a week; with fewer than 38 four weeks do not hold the 149 cases that are needed."""


@dataclass(frozen=True, kw_only=True)
class Team:
    """A team: its true rates, its drafts a week, and the weeks for which it is watched."""

    rate: float
    """Share of the drafts that the validator passed, and that are wrong."""
    per_week: int = 50
    weeks: int = 12
    eligible: float = 0.5
    """Share of these drafts that meet all other conditions of an automatic reply."""
    judged: float = 1.0
    """Share of the automatic replies that somebody judges."""


@dataclass(kw_only=True)
class Run:
    """The gate's work for one team."""

    opened_after: int | None = None
    """Weeks before its first opening; `None` if it stays closed."""
    open_weeks: int = 0
    """Weeks that begin with an open gate."""
    sent: int = 0
    sent_wrong: int = 0


def simulate(team: Team, lot: random.Random) -> Run:
    """Return a team's history. Its gate is looked at before each draft."""
    run, counts = Run(), [WeekCount()] * WEEKS
    for week in range(team.weeks + 1):
        is_open = _is_open(counts[-WEEKS:], WeekCount())
        if is_open:
            run.open_weeks += 1
            run.opened_after = week if run.opened_after is None else run.opened_after
        if week < team.weeks:
            counts.append(_simulate_week(team, lot, run, counts[-WEEKS:] if is_open else ()))
    return run


def _simulate_week(team: Team, lot: random.Random, run: Run, earlier: Sequence[WeekCount]) -> WeekCount:
    """Return the cases of a week; `earlier` are the four weeks that have opened the gate."""
    cases = false_passes = 0
    for _ in range(team.per_week):
        is_wrong = lot.random() < team.rate
        if earlier and lot.random() < team.eligible and _is_open(earlier, WeekCount(cases, false_passes)):
            run.sent += 1
            run.sent_wrong += is_wrong
            if lot.random() >= team.judged:
                continue
        cases += 1
        false_passes += is_wrong
    return WeekCount(cases, false_passes)


def _is_open(earlier: Sequence[WeekCount], present: WeekCount) -> bool:
    return judge_weeks((*earlier, present), kind="technical_qa", production=0, since=MONDAY).is_open


def simulate_teams(team: Team, count: int, *, seed: int = 24) -> list[Run]:
    """Return the histories of so many teams of one kind."""
    lot = random.Random(seed)  # noqa: S311  # seeded chance is chance enough
    return [simulate(team, lot) for _ in range(count)]


def share_opened(runs: Sequence[Run]) -> float:
    """Return the share of teams whose gate has ever opened."""
    return sum(run.opened_after is not None for run in runs) / len(runs)


def describe(team: Team, runs: Sequence[Run]) -> str:
    """Format one row of the table."""
    sent, wrong = sum(run.sent for run in runs), sum(run.sent_wrong for run in runs)
    first = [run.opened_after for run in runs if run.opened_after is not None]
    open_share = sum(run.open_weeks for run in runs) / (len(runs) * team.weeks)
    return (
        f"{team.rate:7.1%} {team.per_week:6} {team.weeks:6} {team.judged:7.0%} {share_opened(runs):9.1%} "
        f"{median(first) if first else '-':>6} {open_share:7.1%} {sent / len(runs):9.1f} {wrong / len(runs):7.2f} "
        f"{wrong / sent if sent else 0:8.2%}"
    )


HEAD = "   rate a week  weeks  judged  opened  after   open      sent   wrong   wrong of sent (a team)"


def _rows() -> Iterator[tuple[Team, int]]:
    for rate in _RATES:
        yield Team(rate=rate, weeks=52), TEAMS // 10
    for per_week in _VOLUMES:
        yield Team(rate=0.05, per_week=per_week, weeks=52), TEAMS // 10
    for judged in (0.5, 0.0):
        yield Team(rate=0.005, weeks=52, judged=judged), TEAMS // 10


def main() -> None:
    """Simulate, and fail where a bar is missed."""
    print(HEAD)  # noqa: T201  # the output
    for team, count in _rows():
        print(describe(team, simulate_teams(team, count)), flush=True)  # noqa: T201  # the output
    bad = share_opened(simulate_teams(Team(rate=0.05), TEAMS))
    bad_year = share_opened(simulate_teams(Team(rate=0.05, weeks=52), TEAMS))
    good = share_opened(simulate_teams(Team(rate=0.005), TEAMS))
    print(f"{TEAMS:,} teams with 5 %: opened in 12 weeks for {bad:.2%}, in 52 for {bad_year:.2%} (bar 5 %)")  # noqa: T201  # the output
    print(f"{TEAMS:,} teams with 0.5 %: opened in 12 weeks for {good:.2%} (bar 80 %)")  # noqa: T201  # the output
    sys.exit(bad > 0.05 or bad_year > 0.05 or good < 0.8)


if __name__ == "__main__":
    main()
