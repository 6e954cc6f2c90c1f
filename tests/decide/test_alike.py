"""Questions asked again, by table."""

from __future__ import annotations

import pytest

from bot.decide.alike import NEAR, alike, likeness
from tests.decide.alike_pairs import OTHER, SAME


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_question_is_known_again(one: str, other: str) -> None:
    """In other words of courtesy, other forms of a word, another order; and from either side."""
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_a_near_miss_is_another_question(one: str, other: str) -> None:
    """Another number, version, name, environment, direction; a negation; or too little to know it by."""
    assert not alike(one, other)
    assert not alike(other, one)


def test_the_threshold_lies_between_the_two() -> None:
    """Every pair of the one kind is nearer than every pair of the other, which makes the threshold worth having."""
    assert min(likeness(*pair) for pair in SAME) >= NEAR > max(likeness(*pair) for pair in OTHER)


@pytest.mark.parametrize("text", ["", " \n ", "?", "\ud800", "`" * 7_000, "a" * 7_000, "<@U0ANA> " * 900])
def test_any_text_can_be_compared(text: str) -> None:
    """It says too little to be the same as anything."""
    assert not alike(text, text)
