"""Alerts of other programs: recognised by their shape, with their state and identity."""

from __future__ import annotations

import pytest

from bot.decide.alerts import read_alert
from bot.decide.alerts.fingerprint import is_same_alert
from tests.decide.alerts.cases import CASES, Case
from tests.decide.alerts.notices import NOTICES
from tests.decide.alerts.pairs import PAIRS, Pair
from tests.decide.alerts.programs import Json


@pytest.mark.parametrize("case", CASES, ids=[f"{case.source}: {case.name}" for case in CASES])
def test_an_alert_is_recognised(case: Case) -> None:
    """Program and state come from the message alone."""
    alert = read_alert(case.message)
    assert alert
    assert (alert.source, alert.state) == (case.source, case.state)
    assert alert.fingerprint
    assert alert.title


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_notifications_are_told_apart_by_the_alert(pair: Pair) -> None:
    """Counts, times and values do not matter; names, instances and ids do, in either order."""
    first, second = read_alert(pair.first), read_alert(pair.second)
    assert first
    assert second
    assert (is_same_alert(first, second), is_same_alert(second, first)) == (pair.same, pair.same)


@pytest.mark.parametrize("message", NOTICES.values(), ids=NOTICES.keys())
def test_an_ordinary_notice_is_no_alert(message: Json) -> None:
    """Deploys, builds, tickets and reports stay what they were."""
    assert read_alert(message) is None
