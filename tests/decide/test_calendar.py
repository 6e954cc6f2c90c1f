"""When a day's report is due, in every kind of day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from bot.decide.calendar import At, day_due, read_time, read_weekday_time
from tests.tables import each_row

MORNING = At(time(8, 30), "Europe/Berlin")
NIGHT = At(time(2, 30), "Europe/Berlin")
WEEKLY = At(time(9), "Asia/Jakarta", weekday=0)


def utc(said: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(said).replace(tzinfo=UTC)


def days(*said: str) -> list[date]:
    """Dates."""
    return [date.fromisoformat(day) for day in said]


@each_row(
    ("at", "now", "done", "due"),
    [
        pytest.param(MORNING, "2026-01-05T07:29:59", [], None, id="not yet"),
        pytest.param(MORNING, "2026-01-05T07:30:00", [], "2026-01-05", id="on the minute"),
        pytest.param(MORNING, "2026-01-05T07:30:00", ["2026-01-05"], None, id="done"),
        pytest.param(MORNING, "2026-01-05T22:59:00", ["2026-01-04"], "2026-01-05", id="asleep all day"),
        pytest.param(MORNING, "2026-01-05T23:01:00", ["2026-01-04"], None, id="the day is over, and is left out"),
        pytest.param(MORNING, "2026-01-05T07:00:00", ["2026-01-05"], None, id="the clock was set back an hour"),
        pytest.param(MORNING, "2026-01-04T09:00:00", ["2026-01-04", "2026-01-05"], None, id="set back by a day"),
        pytest.param(MORNING, "2026-03-29T06:30:00", [], "2026-03-29", id="summer begins"),
        pytest.param(MORNING, "2026-10-25T06:30:00", [], None, id="summer has ended, one hour to go"),
        pytest.param(MORNING, "2026-10-25T07:30:00", [], "2026-10-25", id="summer has ended"),
        pytest.param(NIGHT, "2026-03-29T01:29:00", [], None, id="a time that this day leaves out is an hour later"),
        pytest.param(NIGHT, "2026-03-29T01:30:00", [], "2026-03-29", id="that hour later"),
        pytest.param(NIGHT, "2026-10-25T00:30:00", [], "2026-10-25", id="a time that comes twice, at the first"),
        pytest.param(NIGHT, "2026-10-25T01:30:00", ["2026-10-25"], None, id="and not at the second"),
        pytest.param(WEEKLY, "2026-01-05T01:59:00", ["2025-12-29"], None, id="a Monday, too early"),
        pytest.param(WEEKLY, "2026-01-05T02:00:00", ["2025-12-29"], "2026-01-05", id="a Monday"),
        pytest.param(WEEKLY, "2026-01-07T12:00:00", ["2025-12-29"], "2026-01-05", id="Monday was missed"),
        pytest.param(WEEKLY, "2026-01-11T12:00:00", ["2026-01-05"], None, id="a Sunday, done"),
    ],
)
def test_a_day_is_due_once_its_time_has_come(at: At, now: str, done: list[str], due: str | None) -> None:
    """Each date once, in the team's zone."""
    assert day_due(at, days(*done), utc(now)) == (date.fromisoformat(due) if due else None)


@pytest.mark.parametrize(
    "said", ["8", "25:00", "08:60", "8.30", "", "off", "-1:00", "08:3", "1" * 5_000 + ":00", "²:00"]
)
def test_what_is_no_time_is_refused(said: str) -> None:
    """With what was expected."""
    with pytest.raises(ValueError, match="expected a time of day such as 08:30"):
        read_time(said)


def test_a_weekday_has_a_name_and_a_time() -> None:
    """In any case, short or long."""
    assert read_weekday_time("Monday 9:05") == (0, time(9, 5))
    assert read_weekday_time("sun 00:00") == (6, time(0))
    for said in ("9:00", "someday 9:00", "mon", "mon 9"):
        with pytest.raises(ValueError, match="expected a"):
            read_weekday_time(said)
