"""Which question somebody's next message in a channel may settle, by table and in whatever order it is delivered."""

from __future__ import annotations

from itertools import permutations

import pytest

from bot.intake.last_questions import MOST, LastQuestions


def remembered(story: str) -> LastQuestions:
    """`A1?` is a question of A's at that second, `A2` something else."""
    last = LastQuestions()
    for word in story.split():
        author, at, asks = word[0], int(word[1:].rstrip("?")), word.endswith("?")
        last.note("C1", at, author, f"q{at}" if asks else None)
    return last


@pytest.mark.parametrize(
    ("story", "question"),
    [
        ("A1?", "q1"),
        ("A1? A5", "q1"),
        ("A1? A5?", "q5"),
        ("A1? B5", None),
        ("A1? B5 A6", None),
        ("B1? A5", None),
        ("B1 A5?", "q5"),
        ("A1", None),
        ("", None),
        ("A1? B90", "q1"),
    ],
)
def test_the_last_question_of_whoever_spoke_last(story: str, question: str | None) -> None:
    """Asked at second 60: what was said later does not count, and what somebody else said between ends it."""
    assert remembered(story).before("C1", 60, "A") == question
    assert remembered(story).before("C2", 60, "A") is None


@pytest.mark.parametrize("order", [*permutations(("A1?", "A3", "B2"))])
def test_any_order_of_delivery_finds_the_same(order: tuple[str, ...]) -> None:
    """Only the messages' own times count."""
    assert remembered(" ".join(order)).before("C1", 60, "A") is None


def test_the_memory_is_bounded() -> None:
    """What is forgotten settles nothing."""
    last = remembered("A1?")
    for at in range(2, MOST + 2):
        last.note("C1", at, "A", None)
    assert last.before("C1", 900, "A") is None
