"""Alerts of other programs: recognised by their shape, with their state and identity."""

from __future__ import annotations

import pytest

from bot.decide.alerts import read_alert
from bot.decide.alerts.fingerprint import find_same, is_same_alert
from tests.decide.alerts import contradictions, levels, numbers, templates
from tests.decide.alerts.cases import CASES, Case
from tests.decide.alerts.notices import NOTICES
from tests.decide.alerts.pairs import PAIRS, Pair
from tests.decide.alerts.programs import Json, plain, sentry_issue, sentry_legacy
from tests.tables import each_row


@each_row("case", CASES, ids=[f"{case.source}: {case.name}" for case in CASES])
def test_an_alert_is_recognised(case: Case) -> None:
    """Program and state come from the message alone."""
    alert = read_alert(case.message)
    assert alert
    assert (alert.source, alert.state) == (case.source, case.state)
    assert alert.fingerprint
    assert alert.title


@each_row("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_notifications_are_told_apart_by_the_alert(pair: Pair) -> None:
    """Counts, times and values do not matter; names, instances and ids do, in either order."""
    first, second = read_alert(pair.first), read_alert(pair.second)
    assert first
    assert second
    assert (is_same_alert(first, second), is_same_alert(second, first)) == (pair.same, pair.same)


@pytest.mark.parametrize(
    "title",
    [
        "[RESOLVED] all fine",
        "Resolved: x",
        "State: Resolved",
        "Issue resolved by me",
        "a marked b as resolved",
        "release",
    ],
)
@pytest.mark.parametrize("is_legacy", [True, False], ids=["attachment", "blocks"])
def test_the_words_of_an_error_end_no_alert(title: str, *, is_legacy: bool) -> None:
    """Whoever causes an error chooses its text: it is neither hidden by it nor closed."""
    message = sentry_legacy(71, title) if is_legacy else sentry_issue(71, title, f"in {title}")
    alert = read_alert(message)
    assert alert
    assert alert.state == "firing"


def test_text_in_code_ends_no_alert() -> None:
    """The text of an error stands in code, over several lines."""
    message = sentry_issue(71, "ValueError", "shop")
    message["blocks"][2]["text"]["text"] = "```\n*Issue resolved by* me\nState: Resolved\n```"
    alert = read_alert(message)
    assert alert
    assert alert.state == "firing"


@each_row("message", NOTICES.values(), ids=NOTICES.keys())
def test_an_ordinary_notice_is_no_alert(message: Json) -> None:
    """Deploys, builds, tickets and reports stay what they were."""
    alert = read_alert(message)
    assert alert is None or alert.is_weak


@each_row("text", templates.NOTICES)
def test_a_notice_with_a_state_word_is_no_certain_alert(text: str) -> None:
    """It counts only beside a problem of the same name."""
    alert = read_alert(plain(text))
    assert alert is None or alert.is_weak


@each_row(("problem", "recovery"), [*templates.PAIRS, *levels.PAIRS])
def test_a_problem_and_its_recovery_form_a_pair(problem: str, recovery: str) -> None:
    """The templates of other programs, in several languages; an amount in a marked title may change."""
    first, second = read_alert(plain(problem)), read_alert(plain(recovery))
    assert first
    assert second
    assert (first.state, second.state, is_same_alert(first, second)) == ("firing", "resolved", True)


@pytest.mark.parametrize(("problem", "other"), levels.OTHERS)
def test_another_name_or_a_plain_title_is_another_alert(problem: str, other: str) -> None:
    """Only amounts may differ, and only where the state is marked."""
    first, second = read_alert(plain(problem)), read_alert(plain(other))
    assert first
    assert second
    assert not is_same_alert(first, second)


@pytest.mark.parametrize("text", levels.NOTICES)
def test_a_compound_with_another_word_is_no_alert(text: str) -> None:
    """All of its parts must be words of states."""
    assert read_alert(plain(text)) is None


@each_row(("first", "second"), numbers.NAMES)
def test_a_number_of_the_name_tells_alerts_apart(first: str, second: str) -> None:
    """The end of one host, shop or customer closes no other."""
    known, other = read_alert(plain(first)), read_alert(plain(second))
    assert known
    assert other
    assert not is_same_alert(known, other)


@each_row(("first", "second"), numbers.AMOUNTS)
def test_an_amount_tells_no_alerts_apart(first: str, second: str) -> None:
    """Values, durations and times of measurement change while an alert fires."""
    known, other = read_alert(plain(first)), read_alert(plain(second))
    assert known
    assert other
    assert is_same_alert(known, other)


@pytest.mark.parametrize("end", ["Node #13 offline", "Node offline", "Node 120 offline"])
def test_an_end_that_differs_by_numbers_alone_closes_none(end: str) -> None:
    """Which of several open alerts it means is a guess."""
    open_alerts = [
        (name, alert) for name in ("12", "14") if (alert := read_alert(plain(f"[FIRING] Node #{name} offline")))
    ]
    ended = read_alert(plain(f"[RESOLVED] {end}"))
    assert ended
    assert (len(open_alerts), find_same(open_alerts, ended)) == (2, None)


@each_row(("message", "state"), contradictions.STATES.values(), ids=contradictions.STATES.keys())
def test_title_and_colour_go_before_words_in_the_text(message: Json, state: str | None) -> None:
    """A red alert is not hidden by what its text quotes, and a green one does not fire."""
    alert = read_alert(message)
    assert (alert and alert.state) == state


@pytest.mark.parametrize(("first", "second"), contradictions.ENDED.values(), ids=contradictions.ENDED.keys())
def test_the_end_is_no_second_firing(first: Json, second: Json) -> None:
    """Colour, status line and Uptime Kuma's second line say that it is over."""
    known, ended = read_alert(first), read_alert(second)
    assert known
    assert ended
    assert (known.state, ended.state, is_same_alert(known, ended)) == ("firing", "resolved", True)


def test_the_end_of_a_chatty_name_needs_its_problem() -> None:
    """A notice about a deploy may look the same."""
    ended = read_alert(plain("[RESOLVED] Deploy of checkout failing"))
    assert ended
    assert ended.is_weak
