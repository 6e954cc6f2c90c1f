"""Building blocks of transitions, by table: quotes, the rubric of a run, and cards to be told of an end."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.workflow.steps import clip
from bot.models.card import HandOver
from bot.models.thread_event import AnswerQuestion, Bounce, Dismiss
from tests.builders import OPERATOR, at, moved
from tests.decide.test_workflow import pending, press


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a\n  b", "a b"),
        ("x" * 200, "x" * 200),
        ("x" * 201, f"{'x' * 199}…"),
    ],
)
def test_a_quote_is_one_line_of_at_most_200_characters(text: str, quoted: str) -> None:
    """With a sign where it is cut."""
    assert clip(text) == quoted


@pytest.mark.parametrize(
    ("kind", "words", "question_type"),
    [
        (Bounce, {"feedback": "This is a data lookup."}, "data_lookup"),
        (Bounce, {"feedback": "See b.py."}, "technical_qa"),
        (AnswerQuestion, {"text": "This is a data lookup."}, "technical_qa"),
    ],
)
def test_only_the_feedback_of_a_bounce_names_the_rubric(kind: Any, words: dict[str, str], question_type: str) -> None:
    """An answer is about the subject, whatever its words."""
    thread = pending()
    assert moved(thread, press(kind, thread, **words)).question_type == question_type


@pytest.mark.parametrize(
    ("seconds", "for_second", "is_told"),
    [(-1, True, False), (0, True, True), (5, True, True), (5, False, False)],
)
def test_the_first_approver_is_told_of_the_end(seconds: int, for_second: bool, is_told: bool) -> None:
    """On the card that they approved, and of this question alone."""
    thread = pending()
    line = HandOver(
        at=at(seconds),
        by=OPERATOR,
        before=OPERATOR,
        to="U0BEN",
        card=thread.card,
        is_shown=True,
        for_second=for_second,
    )
    thread = thread.evolve(hand_overs=(line,))
    (after,) = moved(thread, press(Dismiss, thread)).hand_overs
    assert after == line.evolve(is_shown=not is_told)
