"""Working hours by table: nights, weekends, and the days on which a zone changes its clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.decide.working_hours import DAYS, WorkingHours, add_working_time, open_from

WEEK = frozenset(DAYS[:5])
BERLIN = WorkingHours(days=WEEK, opens=9 * 60, closes=18 * 60, zone="Europe/Berlin")
ROUND_THE_CLOCK = WorkingHours(days=frozenset(DAYS), opens=0, closes=24 * 60, zone="Europe/Berlin")
EARLY_SUNDAY = WorkingHours(days=frozenset({"sun"}), opens=2 * 60 + 30, closes=6 * 60, zone="Europe/Berlin")


def utc(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "start", "minutes", "expected"),
    [
        pytest.param(BERLIN, "2026-01-05 09:00", 60, "2026-01-05 10:00", id="within a day"),
        pytest.param(BERLIN, "2026-01-05 16:30", 60, "2026-01-06 08:30", id="over the night"),
        pytest.param(BERLIN, "2026-01-05 16:00", 60, "2026-01-05 17:00", id="up to the very end"),
        pytest.param(BERLIN, "2026-01-09 16:30", 60, "2026-01-12 08:30", id="over the weekend"),
        pytest.param(BERLIN, "2026-01-10 12:00", 60, "2026-01-12 09:00", id="from a day off"),
        pytest.param(BERLIN, "2026-01-05 03:00", 60, "2026-01-05 09:00", id="from before work"),
        pytest.param(BERLIN, "2026-01-05 09:00", 9 * 60 * 5, "2026-01-12 09:00", id="a week of work"),
        pytest.param(BERLIN, "2026-03-27 16:30", 60, "2026-03-30 07:30", id="over the start of summer time"),
        pytest.param(BERLIN, "2026-10-23 15:30", 60, "2026-10-26 08:30", id="over its end"),
        pytest.param(ROUND_THE_CLOCK, "2026-03-29 00:30", 60, "2026-03-29 01:30", id="an hour is an hour in March"),
        pytest.param(ROUND_THE_CLOCK, "2026-10-25 00:30", 90, "2026-10-25 02:00", id="and in October"),
        pytest.param(EARLY_SUNDAY, "2026-03-28 12:00", 60, "2026-03-29 02:30", id="an opening that does not exist"),
        pytest.param(EARLY_SUNDAY, "2026-10-24 12:00", 60, "2026-10-25 01:30", id="an opening that comes twice"),
        pytest.param(None, "2026-01-10 23:30", 60, "2026-01-11 00:30", id="without working hours all time counts"),
    ],
)
def test_time_passes_at_work_only(hours: WorkingHours | None, start: str, minutes: int, expected: str) -> None:
    """An hour from then on is over at this moment."""
    assert add_working_time(hours, utc(start), timedelta(minutes=minutes)) == utc(expected)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-01-05 12:00", "2026-01-05 12:00"),
        ("2026-01-05 02:00", "2026-01-05 08:00"),
        ("2026-01-05 17:00", "2026-01-06 08:00"),
        ("2026-01-10 12:00", "2026-01-12 08:00"),
        ("2026-03-28 12:00", "2026-03-30 07:00"),
    ],
)
def test_work_begins_at_its_hour(at: str, expected: str) -> None:
    """Immediately within working hours, else when they begin, by the clock on the wall."""
    assert open_from(BERLIN, utc(at)) == utc(expected)


def test_a_later_start_is_never_over_sooner() -> None:
    """Over two weeks with a change of the clock, minute by quarter of an hour."""
    start = utc("2026-03-20 00:00")
    ends = [add_working_time(BERLIN, start + timedelta(minutes=15 * n), timedelta(minutes=50)) for n in range(14 * 96)]
    assert ends == sorted(ends)
