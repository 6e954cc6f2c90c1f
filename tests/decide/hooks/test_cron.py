"""Times of cron expressions, by table, over both clock changes of a year."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest

from bot.decide.hooks.cron import find_cron_fault, find_next_time, list_times
from tests.tables import each_row

ZONE = "Europe/Berlin"
SPRING = datetime(2026, 3, 28, 22, tzinfo=UTC)
"""23:00 on the evening before the hour from 2:00 to 3:00 is skipped, at 1:00 UTC."""
AUTUMN = datetime(2026, 10, 24, 21, tzinfo=UTC)
"""23:00 on the evening before that hour occurs twice, at 0:00 and 1:00 UTC."""


def format_times(expression: str, after: datetime, count: int, zone: str = ZONE) -> str:
    """The next times as day and time in UTC."""
    return " ".join(f"{at:%d-%H:%M}" for at in islice(list_times(expression, zone, after), count))


@each_row(
    ("expression", "after", "expected"),
    [
        ("30 2 * * *", SPRING, "29-01:00 30-00:30 31-00:30"),
        ("0 3 * * *", SPRING, "29-01:00 30-01:00 31-01:00"),
        ("0 2-4 * * *", SPRING, "29-01:00 29-02:00 30-00:00"),
        ("*/30 2 * * *", SPRING, "30-00:00 30-00:30 31-00:00"),
        ("30 * * * *", SPRING, "28-22:30 28-23:30 29-00:30 29-01:30"),
        ("*/20 * * * *", SPRING + timedelta(hours=2, minutes=50), "29-01:00 29-01:20 29-01:40"),
        ("30 2 * * *", AUTUMN, "25-00:30 26-01:30 27-01:30"),
        ("0 3 * * *", AUTUMN, "25-02:00 26-02:00 27-02:00"),
        ("0 2-4 * * *", AUTUMN, "25-00:00 25-02:00 25-03:00"),
        ("*/30 2 * * *", AUTUMN, "25-00:00 25-00:30 25-01:00 25-01:30 26-01:00"),
        ("30 * * * *", AUTUMN, "24-21:30 24-22:30 24-23:30 25-00:30 25-01:30"),
        ("30 2 * * *", datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "26-01:30"),
        ("30 2 * * *", datetime(2026, 10, 25, 1, 10, tzinfo=UTC), "26-01:30"),
        ("0 9 * * mon-fri", SPRING, "30-07:00 31-07:00 01-07:00"),
        ("0 0 L * *", SPRING, "30-22:00 29-22:00"),
        ("0 9 * * mon#1", SPRING, "06-07:00"),
    ],
)
def test_times_over_clock_changes(expression: str, after: datetime, expected: str) -> None:
    """A skipped time comes at the end of the gap, a repeated one once; a star keeps to real time."""
    assert format_times(expression, after, len(expected.split())) == expected


@pytest.mark.parametrize("start", [SPRING, AUTUMN])
def test_every_minute_is_every_minute(start: datetime) -> None:
    """Over a clock change, too, whatever the clock on the wall says."""
    times = [*islice(list_times("* * * * *", ZONE, start), 600)]
    assert times == [start + timedelta(minutes=number) for number in range(1, 601)]


def test_each_time_follows_the_one_before() -> None:
    """The next time after each is the next of the list, from any second in between."""
    for expression in ("30 2 * * *", "*/7 1-3 * * *", "15 */2 * * *"):
        times = [*islice(list_times(expression, ZONE, AUTUMN), 40)]
        assert times == sorted({*times})
        for before, after in pairwise(times):
            middle = before + (after - before) / 2
            assert find_next_time(expression, ZONE, before) == after
            assert find_next_time(expression, ZONE, middle) == after


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("0 9 * * *", ""),
        ("@daily", "expected minute, hour"),
        ("* * * * * *", "expected minute, hour"),
        ("61 * * * *", "bad minute"),
        ("0 9 31 4 *", "bad day-of-month"),
        ("0 9 29 2 *", ""),
        ("0 9 * 2 mon#5", "no time within eight years"),
        ("0 9 * * sat-mon", "bad day-of-week"),
    ],
)
def test_faults_of_expressions(expression: str, fault: str) -> None:
    """Named with the next step; seconds are not taken."""
    reason = find_cron_fault(expression, ZONE, SPRING)
    assert fault in reason
    assert bool(reason) == bool(fault)
