"""Unusual forms of alerts: without a name, without words, with broken addresses, and longer than anybody reads."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.alerts import read_alert
from bot.decide.alerts.fingerprint import find_same, is_same_alert
from bot.decide.alerts.words import IDENTITY
from bot.models.alert import Alert
from tests.decide.alerts.programs import Json, alertmanager, attached, grafana, grafana_list, plain


def alert_of(message: Json) -> Alert:
    """The alert of a message."""
    found = read_alert(message)
    assert found
    return found


@pytest.mark.parametrize("text", ["", "Warning: 5%", "OK: 5%", "[P1] Disk full"])
def test_a_message_without_a_name_or_a_state_is_no_alert(text: str) -> None:
    """An amount names nothing."""
    assert read_alert(plain(text)) is None


@pytest.mark.parametrize(
    ("message", "title", "values"),
    [
        (attached(title="[FIRING:1]", text="HighErrorRate"), "HighErrorRate", ()),
        (plain("[Triggered] CPU high on {host:web-1,env:prod}"), "CPU high", ("prod", "web-1")),
        (plain("[Triggered] CPU high on {host:web-1} now"), "CPU high now", ("web-1",)),
        (plain("[FIRING] [RESOLVED] x"), "[RESOLVED] x", ()),
        (plain("[FIRING] [P1] Disk full"), "Disk full", ()),
        (plain(f"{'[P1] ' * 5}[FIRING] Disk full"), "Disk full", ()),
        (plain(f"[FIRING] {'[P1] ' * 7}Disk full"), "[P1] [P1] Disk full", ()),
    ],
)
def test_the_title_is_what_is_left_beside_the_state(message: Json, title: str, values: tuple[str, ...]) -> None:
    """From the next line if the first has none; of many brackets six are read."""
    alert = alert_of(message)
    assert (alert.state, alert.title, alert.values) == ("firing", title, values)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"title_link": "http://[::1", "color": "danger"}, "firing"),
        ({"title_link": "https://grafana.example:99999999/a", "color": "blue"}, "firing"),
        ({"title_link": "https://app.datadoghq.com/monitors/1?" + "&".join(f"a{n}=1" for n in range(60))}, "firing"),
    ],
)
def test_a_broken_address_hides_no_alert(changes: dict[str, Any], state: str) -> None:
    """Nor does an unknown colour."""
    alert = alert_of(attached(title="[FIRING:1] HighErrorRate", **changes))
    assert (alert.state, alert.title) == (state, "HighErrorRate")


@pytest.mark.parametrize(
    ("color", "state"),
    [
        ("", None),
        ("blue", None),
        ("#00f", None),
        ("#0000ff", None),
        ("#D63232", "firing"),
        ("warning", "firing"),
        ("#36a64f", "resolved"),
        ("good", "resolved"),
    ],
)
def test_a_colour_is_the_state_where_the_title_has_none(color: str, state: str | None) -> None:
    """Of a program that is known; one that is neither red nor green says nothing."""
    alert = read_alert(attached(title="Response times of web-1", title_link="https://grafana.example/d/1", color=color))
    assert (alert.state if alert else None) == state


def test_of_a_long_message_the_beginning_is_read() -> None:
    """Eight thousand characters, and thirty labels."""
    labels = dict.fromkeys(sorted(IDENTITY), "v1")
    assert len(labels) > 30
    assert len(alert_of(grafana("[FIRING:1] HighErrorRate", text=grafana_list("Firing", labels))).labels) == 30
    lines = "\n".join(f"line {number} {'y' * 200}" for number in range(100))
    late = alertmanager("[FIRING:1] HighErrorRate", text=lines)
    late["attachments"] += [{"text": lines.replace("line", "row")}, {"text": "service: shop"}]
    assert alert_of(late).services == ()
    del late["attachments"][1]
    late["attachments"][0]["text"] = "one line"
    assert alert_of(late).services == ("shop",)


def test_an_identity_is_compared_only_where_there_is_one() -> None:
    """A message that only says the state, one with another title that may be a notice, and one of another program."""
    alert = alert_of(alertmanager("[FIRING:1] HighErrorRate"))
    assert not is_same_alert(alert, alert.evolve(fingerprint=""))
    assert not is_same_alert(alert.evolve(is_weak=True, is_marked=False), alert.evolve(title="Higherrorrate!"))
    assert is_same_alert(alert.evolve(is_weak=True), alert.evolve(title="HIGHERRORRATE"))
    assert not is_same_alert(alert, alert.evolve(source="grafana", host=""))
    assert is_same_alert(alert, alert.evolve(source="other", host=""))


def test_an_alert_is_found_among_those_that_are_open() -> None:
    """The newest that is equal; else the only one whose labels fit, and none of several."""
    first = alert_of(alertmanager("[FIRING:1] HighErrorRate (critical web-1)"))
    second = alert_of(alertmanager("[FIRING:1] HighErrorRate (critical web-2)"))
    whole = alert_of(alertmanager("[RESOLVED] HighErrorRate (critical)", firing=False))
    assert find_same([("a", first), ("b", second), ("c", first)], first) == "c"
    assert find_same([("a", first)], whole) == "a"
    assert find_same([("a", first), ("b", second)], whole) is None
    assert find_same([], first) is None
