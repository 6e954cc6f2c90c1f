"""State of a service after its runs: status, rows, changes and marks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.decide.health.cooldowns import is_flapping, list_outages, snapshot_cooldowns
from bot.decide.health.states import add_mark, apply_run, failing_since, find_worst, list_changes
from bot.models.check_result import CheckResult
from bot.models.incident_record import IncidentRecord
from bot.models.service_state import MARKS_A_DAY
from tests.builders import at
from tests.decide.health.builders import COOLDOWN, after, result, state


@pytest.mark.parametrize(
    ("runs", "status", "since", "rows", "changes"),
    [
        ("H", "healthy", 0, (0, 1), []),
        ("U", "down", 0, (1, 0), [0]),
        ("HHU", "down", 2, (1, 0), [2]),
        ("HUD", "degraded", 2, (2, 0), [1]),
        ("HUDH", "healthy", 3, (0, 1), [1, 3]),
        ("UHHU", "down", 3, (1, 0), [0, 1, 3]),
        ("DDDD", "degraded", 0, (4, 0), [0]),
    ],
)
def test_a_run_changes_the_state(runs: str, status: str, since: int, rows: tuple[int, int], changes: list[int]) -> None:
    """Degraded and down are both unhealthy; a change between them is none between healthy and unhealthy."""
    made = after(runs)
    assert (made.status, made.since, made.checked_at) == (status, at(since * 60), at((len(runs) - 1) * 60))
    assert (made.unhealthy_in_row, made.healthy_in_row) == rows
    assert made.changes == tuple(at(minute * 60) for minute in changes)


def test_a_run_without_results_changes_nothing() -> None:
    """The settings lost the service while it was checked."""
    made = after("HU")
    assert apply_run(made, (), at(500)) is made


def test_the_worst_result_is_the_status_of_a_service() -> None:
    """One check that is down is enough."""
    results = (result(), result(status="degraded"), result(status="down"), result())
    assert find_worst(results) == "down"
    assert find_worst(()) is None


def test_only_the_last_changes_are_remembered() -> None:
    """A service that flaps for a week has a small state."""
    assert len(after("UH" * 50).changes) == 12


@pytest.mark.parametrize(
    ("runs", "since", "outages"),
    [("H", None, []), ("HUU", 1, [1]), ("UUH", None, [0]), ("UHUHU", 4, [0, 2, 4]), ("HUHUH", None, [1, 3])],
)
def test_outages_begin_at_their_first_run(runs: str, since: int | None, outages: list[int]) -> None:
    """And the present one is known until a run is healthy."""
    made = after(runs)
    assert failing_since(made) == (None if since is None else at(since * 60))
    assert list_outages(made) == tuple(at(minute * 60) for minute in outages)


@pytest.mark.parametrize(
    ("runs", "later", "is_so"),
    [("UHUH", 4, False), ("UHUHU", 5, True), ("UHUHUH", 34, True), ("UHUHUH", 35, False), ("UH" + "H" * 60, 62, False)],
)
def test_three_outages_within_a_cooldown_are_flapping(runs: str, later: int, is_so: bool) -> None:
    """It ends after a whole cooldown without a failure."""
    assert is_flapping(after(runs), COOLDOWN, at(later * 60)) is is_so


def test_outages_far_from_each_other_are_no_flapping() -> None:
    """Three in a day may be three causes; each within the cooldown of the one before has the same."""
    assert not is_flapping(after("UHUHU", every=31 * 60), COOLDOWN, at(125 * 60))
    assert is_flapping(after("UHUHU", every=20 * 60), COOLDOWN, at(81 * 60))
    assert is_flapping(after("UHUHU", every=30 * 60), COOLDOWN, at(121 * 60))
    assert is_flapping(after("U" + "HHHHHU" * 4, every=300), COOLDOWN, at(121 * 60))


def test_the_snapshot_of_cooldowns_names_each_service() -> None:
    """With the number of outages within the cooldown, for the next tier."""
    failing, cooling, calm = after("UHU", service="a"), after("UHH", service="b"), state("c")
    record = IncidentRecord(
        incident_id="i", group="b", groups=("b",), services=("b",), since=at(), opened_at=at(60)
    ).evolve(recovered_at=at(120), cooldown_until=at(1920))
    made = snapshot_cooldowns((failing, cooling, calm), (record,), COOLDOWN, at(180))
    assert made == {
        "a": {"state": "failing", "until": None, "outages_in_cooldown": 2, "cooldown_min": 30},
        "b": {"state": "in cooldown", "until": at(1920).isoformat(), "outages_in_cooldown": 1, "cooldown_min": 30},
        "c": {"state": "none", "until": None, "outages_in_cooldown": 0, "cooldown_min": 30},
    }


@pytest.mark.parametrize(("seconds", "outages"), [(1_800, 1), (1_801, 0)])
def test_an_outage_counts_as_long_as_a_cooldown(seconds: float, outages: int) -> None:
    """From its begin."""
    made = snapshot_cooldowns((after("UHH"),), (), COOLDOWN, at(seconds))
    assert made["shop"]["outages_in_cooldown"] == outages


def test_a_half_hour_has_its_worst_status() -> None:
    """The last mark is under way, and half hours without a check are empty."""
    days = add_mark(None, "healthy", at(60))
    days = add_mark(days, "down", at(120))
    days = add_mark(days, "healthy", at(180))
    assert (days.ends_at, len(days.marks), days.marks[-1]) == (at(1800), MARKS_A_DAY, "down")
    days = add_mark(days, "degraded", at(1800))
    assert (days.ends_at, days.marks[-2:]) == (at(3600), ("down", "degraded"))
    days = add_mark(days, "healthy", at(3 * 3600))
    assert days.marks[-7:] == ("down", "degraded", "", "", "", "", "healthy")
    assert len(days.marks) == MARKS_A_DAY


def test_marks_are_of_one_day() -> None:
    """After a week nothing is left; a clock that is set back moves no mark."""
    days = add_mark(add_mark(None, "down", at()), "healthy", at(7 * 86_400))
    assert days.marks == ("",) * (MARKS_A_DAY - 1) + ("healthy",)
    back = add_mark(days, "down", at(6 * 86_400))
    assert (back.ends_at, back.marks) == (days.ends_at, ("",) * (MARKS_A_DAY - 1) + ("down",))
    assert days.ends_at - at(7 * 86_400) == timedelta(minutes=30)


def _results(*statuses: str) -> tuple[CheckResult, ...]:
    return tuple(result(status=status) for status in statuses)  # type: ignore[arg-type]  # from a table


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        ((), ("healthy", "healthy"), ()),
        ((), ("healthy", "down"), ("down",)),
        (("healthy", "down"), ("healthy", "down"), ()),
        (("healthy", "down"), ("degraded", "healthy"), ("degraded", "healthy")),
        (("down", "down", "down"), ("down",), ("down",)),
    ],
    ids=["first, healthy", "first, down", "the same", "both", "other checks"],
)
def test_the_history_has_changes_of_each_check(
    before: tuple[str, ...], now: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    """The first result of a check counts if it is unhealthy."""
    earlier = apply_run(state(), _results(*before), at())
    later = apply_run(earlier, _results(*now), at(60))
    assert tuple(each.status for each in list_changes(earlier, later)) == changed
