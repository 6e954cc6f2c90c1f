"""Criteria by table: what counts as a case, what is met, and what is missing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.models.decision import Decision, Round
from bot.models.thread import Thread
from bot.models.turn import Usage
from bot.reports.criteria import Recorded, build_report
from bot.reports.criteria.measuring import TREND_WEEKS
from tests.builders import CHANNEL, OPERATOR, findings, reference
from tests.builders import draft_for as seal
from tests.reports.criteria.home import (
    AT,
    NOW,
    evaluation,
    figures_of,
    measured,
    row,
    session_of,
    thread_at,
    told,
    verdict,
)


def test_an_empty_home_meets_nothing() -> None:
    """Each criterion says how many cases are missing."""
    report = build_report(Recorded(), now=NOW)
    assert [each.id for each in report.criteria] == [f"AC-{number:02}" for number in range(1, 12)]
    assert {each.standing for each in report.criteria} == {"too few cases"}
    assert [each.missing for each in report.criteria] == [100, 20, 1, 3, 10, 10, 1, 1, 1, 20, 100]
    assert all(each.measurement.cases == 0 and each.measurement.figure is None for each in report.criteria)


def messages(actionable: int, other: int, **changes: Any) -> list[dict[str, Any]]:
    """Classified messages."""
    names = ["actionable"] * actionable + ["ambient"] * other
    common = {"classified_at": AT.isoformat(), "chat_id": CHANNEL} | changes
    return [{"classification": name, "message_id": f"{n}.1", **common} for n, name in enumerate(names)]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (messages(40, 60), ("met", 0.4, 100, 0)),
        (messages(41, 59), ("not met", 0.41, 100, 0)),
        (messages(10, 80), ("too few cases", 1 / 9, 90, 10)),
        (messages(40, 60) + messages(0, 40), ("met", 0.0, 100, 0)),
        (messages(40, 60, classified_at=(NOW - timedelta(days=8)).isoformat()), ("too few cases", None, 0, 100)),
        (messages(40, 60, classified_at="never"), ("too few cases", None, 0, 100)),
    ],
)
def test_volume(records: list[dict[str, Any]], expected: tuple[Any, ...]) -> None:
    """A message counts once, as it was classified last, and in its week."""
    assert told(measured("AC-01", classified=records)) == expected


def test_the_trend_ends_with_the_report() -> None:
    """Each week is of seven days."""
    trend = measured("AC-01", classified=messages(1, 3)).trend
    assert [each.cases for each in trend] == [0] * (TREND_WEEKS - 1) + [4]
    assert trend[-1].since == NOW - timedelta(days=7)
    assert trend[-1].figure == 0.25


def test_context() -> None:
    """Tokens of other agents count, by question; a conversation of no question does not."""
    threads = [thread_at(AT + timedelta(minutes=n)) for n in range(20)]
    sessions = [session_of(each, AT, n) for n, each in enumerate(threads)]
    sessions += [session_of(None, AT, 90, agent="chat"), session_of(thread_at(NOW), AT, 91, agent="validator")]
    criterion = measured("AC-02", sessions=sessions)
    assert told(criterion) == ("met", 0.0, 20, 0)
    assert criterion.note == "The agents themselves took 20,910 tokens a question (median)."
    usage = Usage(input_tokens=3_000)
    sessions += [session_of(each, AT, 100 + n, agent="router", usage=usage) for n, each in enumerate(threads)]
    assert told(measured("AC-02", sessions=sessions)) == ("not met", 3_000, 20, 0)
    assert told(measured("AC-02", sessions=sessions[5:20])) == ("too few cases", 0.0, 15, 5)


def mixed(kind: str) -> dict[str, Any]:
    """Two questions at the same time, of which one may hold what belongs to the other."""
    one, other = thread_at(AT), thread_at(AT + timedelta(minutes=4 if kind != "later" else 6))
    runs = session_of(one, AT, 1), session_of(other, AT, 2)
    owner = runs[0] if kind == "run" else runs[1]
    draft = seal(one) if kind == "draft" else seal(other)
    other = other.evolve(draft_pending=draft, runs=(figures_of(owner),))
    thread_id = one.thread_id if kind == "reply" else other.thread_id
    reply = {"thread_id": other.thread_id, "draft_id": f"{thread_id}/1", "investigator_task_id": runs[1].session_id}
    if kind == "reply's run":
        reply["investigator_task_id"] = runs[0].session_id
    return {"threads": [one, other], "sessions": runs, "replies": [reply]}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("none", ("met", 1.0, 1, 0)),
        ("draft", ("not met", 0.0, 1, 0)),
        ("run", ("not met", 0.0, 1, 0)),
        ("reply", ("not met", 0.0, 1, 0)),
        ("reply's run", ("not met", 0.0, 1, 0)),
        ("later", ("too few cases", None, 0, 1)),
    ],
)
def test_concurrency(kind: str, expected: tuple[Any, ...]) -> None:
    """Questions begun within five minutes keep their drafts, runs and replies apart."""
    criterion = measured("AC-03", **mixed(kind))
    assert told(criterion) == expected
    assert (criterion.note == "Mixed up: 1 thread.") == (expected[0] == "not met")


@pytest.mark.parametrize(
    ("rows", "expected", "note"),
    [
        ([row("wrong path", 3, 3, None)], ("met", 1.0, 3, 0), ""),
        ([row("wrong path", 3, 3, 1)], ("met", 1.0, 3, 0), "The validator alone stopped 1 of 3."),
        (
            [row("wrong path", 3, 2, 1), row("wrong line", 3, 3, 3)],
            ("not met", 5 / 6, 6, 0),
            "The validator alone stopped 4",
        ),
        ([row("scope drift", 3, 0, 0)], ("too few cases", None, 0, 3), ""),
    ],
)
def test_planted_faults(rows: list[Any], expected: tuple[Any, ...], note: str) -> None:
    """Only fabricated references count; code or the validator is enough."""
    criterion = measured("AC-04", evaluations=[evaluation(AT, *rows), evaluation(AT + timedelta(hours=1))])
    assert told(criterion) == expected
    assert criterion.note.startswith(note)


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        (10, ("not met", 1.0, 10, 0)),
        (9, ("met", 0.9, 10, 0)),
        (6, ("met", 0.6, 10, 0)),
        (5, ("not met", 0.5, 10, 0)),
    ],
)
def test_first_rounds(passed: int, expected: tuple[Any, ...]) -> None:
    """Neither a rubber stamp nor an obstacle; what code sent back and second rounds do not count."""
    words = ["pass"] * passed + ["bounce"] * (10 - passed)
    threads = [
        thread_at(AT + timedelta(minutes=n), judged=(verdict(AT, word), verdict(AT, "pass")))
        for n, word in enumerate(words)
    ]
    threads.append(thread_at(AT, judged=(verdict(AT, None),)))
    assert told(measured("AC-05", threads=threads)) == expected


def bounced(after: str, ref: str = "bot/a.py:1", attack: str = "Wrong", **changes: Any) -> Thread:
    """A question whose first draft was sent back, with the next one."""
    thread = thread_at(AT)
    values: dict[str, Any] = {
        "rounds": (Round(number=1, draft="It is 3.", refs=("bot/a.py:1",), by="validator", attack=attack),),
        "investigator_round": 2,
        "investigator_return": findings(evidence_refs=(reference(ref=ref),)),
        "draft_pending": seal(thread, after),
        "judged": (verdict(AT, "bounce"), verdict(AT, "pass")),
    }
    return thread.evolve(**(values | changes))


@pytest.mark.parametrize(
    ("thread", "expected"),
    [
        pytest.param(bounced("It is 5."), (1.0, 1), id="another value"),
        pytest.param(bounced("It is 3.", "bot/b.py:1"), (1.0, 1), id="another place"),
        pytest.param(bounced("It surely is 3."), (0.0, 1), id="insists"),
        pytest.param(bounced("It is 5.", attack=" "), (None, 0), id="no reason"),
        pytest.param(bounced("It is 3.", status="bounced-round-1"), (None, 0), id="no next draft yet"),
        pytest.param(bounced("It is 3.", investigator_round=1), (None, 0), id="still the same draft"),
        pytest.param(bounced("It is 3.", investigator_return=None), (None, 0), id="a run that failed"),
        pytest.param(bounced("It is 3.", judged=()), (None, 0), id="never judged"),
    ],
)
def test_improvement(thread: Thread, expected: tuple[Any, ...]) -> None:
    """A bounce with a reason is a case once there is a next draft."""
    criterion = measured("AC-06", threads=[thread])
    assert (criterion.measurement.figure, criterion.measurement.cases) == expected
    assert criterion.standing == "too few cases"


def test_the_decision_on_the_next_draft_is_counted() -> None:
    """Ten of them are enough; an edit does not change what the engine drafted; a second bounce is a decision, too."""
    approve = Decision(action="approve", by=OPERATOR, at=AT)
    threads = [bounced("It is 5.", decision=approve)] * 7
    edited = seal(threads[0], "It is 7.").evolve(edited_by=OPERATOR, drafted="It surely is 3.")
    threads += [bounced("", draft_pending=edited)] * 3
    criterion = measured("AC-06", threads=threads)
    assert told(criterion) == ("met", 0.7, 10, 0)
    assert criterion.note == "Of 7 such drafts with a decision 7 were approved."
    (first,) = threads[0].rounds
    again = threads[0].evolve(rounds=(first, first.evolve(number=2, draft="It is 4.")), investigator_round=3)
    criterion = measured("AC-06", threads=[again])
    assert (criterion.measurement.cases, criterion.note) == (2, "Of 2 such drafts with a decision 1 were approved.")
