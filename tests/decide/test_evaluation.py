"""Judging the answers of engines, and reading the questions."""

from __future__ import annotations

import json

import pytest

from bot.decide.evaluation import is_within, judge, read_questions, states_value
from bot.models.drill_row import DrillRow, Tally
from bot.models.evaluation import EngineEvaluation, EvalQuestion, Evaluation, JudgedAnswer
from bot.models.findings import InvestigatorReturn
from bot.reports.evaluation import as_text, compare


def drafted(text: str, confidence: str = "medium") -> InvestigatorReturn:
    """Findings with this draft."""
    return InvestigatorReturn.model_validate(
        {
            "confidence": confidence,
            "confidence_reason": "r",
            "summary_for_orchestrator": "s",
            "draft_reply": text,
            "draft_language": "en",
            "evidence_refs": (),
            "investigator_round": 1,
            "research_notes": "",
        }
    )


@pytest.mark.parametrize(
    ("ref", "place", "within"),
    [
        ("a/b.py:3-5", "a/b.py:5-9", True),
        ("a/b.py:3-4", "a/b.py:5-9", False),
        ("a/b.py:7", "a/b.py", True),
        ("x/a/b.py:7", "a/b.py:7", True),
        ("xa/b.py:7", "a/b.py:7", False),
    ],
)
def test_a_reference_is_right_where_it_shares_a_line(ref: str, place: str, within: bool) -> None:
    """The path may lack its first folders, and a place without lines is the file."""
    assert is_within(ref, place) is within


@pytest.mark.parametrize(
    ("value", "draft", "states"),
    [
        ("5000", "It is free from 5,000 cents on.", True),
        ("5", "After five days.", True),
        ("5", "After 15 days.", False),
        ("swift", "First Swift, then postal.", True),
        ("swift", "Swiftly.", False),
    ],
)
def test_a_value_counts_in_any_spelling(value: str, draft: str, states: bool) -> None:
    """But not as a part of another."""
    assert states_value(value, draft) is states


@pytest.mark.parametrize(
    ("fields", "accepted", "confidence", "fault"),
    [
        ({"places": ["a.py:1"], "values": ["5"]}, ["a.py:1"], "medium", ""),
        ({"places": ["a.py:1"], "values": ["6"]}, ["a.py:1"], "medium", "wrong value"),
        ({"places": ["a.py:1"]}, ["b.py:1", "a.py:1"], "medium", "wrong place"),
        ({"refuse": True}, [], "low", ""),
        ({"refuse": True}, ["a.py:1"], "medium", "no refusal"),
    ],
)
def test_each_answer_has_its_fault(fields: dict[str, object], accepted: list[str], confidence: str, fault: str) -> None:
    """Or none."""
    question = EvalQuestion.model_validate({"question": "q", **fields})
    answer = judge(question, drafted("It is 5.", confidence), accepted, seconds=1)
    assert (answer.fault, answer.right) == (fault, not fault)


def test_an_invalid_line_is_named_by_its_number() -> None:
    """With the reason; valid lines are read."""
    lines = [
        '{"question": "a", "places": ["a.py:1"]}',
        "",
        "[",
        '{"question": "b"}',
        '{"question": "a", "refuse": true}',
    ]
    questions, complaints = read_questions(lines)
    assert [question.name for question in questions.values()] == ["a"]
    assert [complaint.partition(":")[0] for complaint in complaints] == ["line 3", "line 4", "line 5"]
    assert "expected places, or refuse: true" in complaints[1]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"places": ["a.py:9-3"]}, "the range is reversed: 'a.py:9-3'"),
        ({"places": ["a.py:0"]}, "expected path:first-last, path:line or path, got 'a.py:0'"),
        ({"places": ["../a.py"]}, "expected a path within the project"),
        ({"places": ["/a.py"]}, "expected a path within the project"),
        ({"places": "a.py"}, "places: expected a list"),
        ({"values": [True]}, "values.0: expected text"),
        ({"answer": 1}, "answer: no such key; expected id, question"),
        ({"refuse": True}, "refuse takes neither places nor values"),
        ({"project": ""}, "project: String should have at least 1 character"),
    ],
)
def test_each_mistake_is_named(changes: dict[str, object], reason: str) -> None:
    """In words that say what to write."""
    _, (complaint,) = read_questions([json.dumps({"question": "q", "places": ["a.py"], **changes})])
    assert reason in complaint


@pytest.mark.parametrize("line", ["[1]", "3", "{", "[" * 100_000])
def test_a_line_that_is_no_object_is_named(line: str) -> None:
    """However deep it is."""
    _, (complaint,) = read_questions([line])
    assert complaint.startswith("line 1: expected a JSON object")


def test_values_may_be_numbers() -> None:
    """Each counts as if it was written as text."""
    ((_, question),) = read_questions(['{"question": "q", "places": ["a.py"], "values": [5, 2.5, 1e3, "x"]}'])[
        0
    ].items()
    assert question.values == ("5", "2.5", "1000", "x")


def test_planted_faults_are_summed_and_compared() -> None:
    """Sound drafts count apart."""

    def run(at: str, stopped: int, wrong: int) -> Evaluation:
        def row(kind: str, count: int) -> DrillRow:
            stopped = Tally(count=count, total=3)
            return DrillRow(kind=kind, cases=3, by_code=None, stopped=stopped, named=None, no_verdict=0)

        planted = (row("scope drift", stopped), row("AI manner", 1), row("sound", wrong))
        engine = EngineEvaluation(engine="m", answers=(JudgedAnswer(name="a"),), planted=planted)
        return Evaluation(saved_at=at, engines=(engine,))

    now, before = run("2", 3, 0), run("1", 2, 0)
    (change,) = compare(now, [before])
    assert change["planted_changed"] == [("scope drift", "2 of 3", "3 of 3")]
    shown = as_text(now, [change])
    assert "validator stopped planted: all faults   4 of 6 (30% to 90%)" in shown
    assert "validator stopped planted: sound        0 of 3 (0% to 56%)" in shown
    assert "validator stopped planted: scope drift: 3 of 3, before 2 of 3" in shown


def test_runs_are_compared_question_by_question() -> None:
    """Only those that both have."""

    def run(at: str, **right: bool) -> Evaluation:
        answers = tuple(JudgedAnswer(name=name, fault="" if good else "wrong place") for name, good in right.items())
        return Evaluation(saved_at=at, engines=(EngineEvaluation(engine="keyword", answers=answers),))

    (change,) = compare(run("2", a=True, b=False, c=True), [run("1", a=False, b=True, d=True)])
    assert (change["same_questions"], change["became_right"], change["became_wrong"]) == (2, ["a"], ["b"])
