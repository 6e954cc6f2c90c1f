"""Answers of the agents of a fix: unusual spellings are read, and nothing turns a bounce into a pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.agents.answers import InvalidAnswer, choose_rival, parse_answer
from bot.agents.fix_forms import DEFAULT_TITLE, FixAnswer, JudgementOutput, choose_worst

PASS = {"verdict": "pass", "mends_defect": True, "does_only_that": True, "tests": "touched", "reasons": []}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"title": "Mend it", "description": "d", "problem": None}, ("Mend it", "d", None)),
        ({"title": " `Mend\n it` ", "problem": "None."}, ("Mend it", "", None)),
        ({"title": "t" * 300, "description": "d" * 9_000}, (f"{'t' * 99}…", f"{'d' * 1_299}…", None)),
        ({"problem": "It is\n not there."}, (DEFAULT_TITLE, "", "It is not there.")),
        ({"title": "x", "description": None, "problem": ""}, ("x", "", None)),
    ],
)
def test_an_answer_is_read_leniently(fields: dict[str, Any], expected: tuple[str, str, str | None]) -> None:
    """Each would cost a paid turn."""
    answer = parse_answer(FixAnswer, json.dumps(fields)).answer
    assert (answer.title, answer.description, answer.problem) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("pass", "touched", ())),
        ({"verdict": " Bounce", "tests": "not needed", "reasons": "One."}, ("bounce", "not-needed", ("One.",))),
        ({"tests": "NOT_NEEDED", "reasons": None}, ("pass", "not-needed", ())),
        ({"reasons": ["r" * 900] * 12}, ("pass", "touched", ("r" * 500,) * 8)),
    ],
)
def test_a_judgement_is_read_leniently(fields: dict[str, Any], expected: Any) -> None:
    """As an answer is."""
    judgement = parse_answer(JudgementOutput, json.dumps(PASS | fields)).answer
    assert (judgement.verdict, judgement.tests, judgement.reasons) == expected


@pytest.mark.parametrize(
    "fields", [{"verdict": "ok"}, {"verdict": None}, {"mends_defect": None}, {"does_only_that": "maybe"}, {"tests": 1}]
)
def test_an_unclear_judgement_is_none(fields: dict[str, Any]) -> None:
    """Nothing is guessed."""
    with pytest.raises(InvalidAnswer):
        parse_answer(JudgementOutput, json.dumps(PASS | fields))


@pytest.mark.parametrize("worse", [{"verdict": "bounce"}, {"mends_defect": False}, {"does_only_that": False}])
def test_the_worst_of_several_judgements_counts(worse: dict[str, Any]) -> None:
    """Whatever their order."""
    texts = [json.dumps(PASS), json.dumps(PASS | worse)]
    for order in (texts, texts[::-1]):
        chosen = choose_rival(parse_answer(JudgementOutput, "\n".join(order)), choose_worst).answer
        assert chosen == JudgementOutput.model_validate(PASS | worse)
