"""Questions asked again, by table."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.question_similarity import NEAR, compute_similarity, is_reworded, is_similar
from tests.decide.alike_pairs import OTHER, SAME
from tests.tables import each_row


@each_row(("one", "other"), SAME)
def test_the_same_question_is_known_again(one: str, other: str) -> None:
    """In other words of courtesy, other forms of a word, another order; and from either side."""
    assert is_similar(one, other)
    assert is_similar(other, one)


@each_row(("one", "other"), OTHER)
def test_a_near_miss_is_another_question(one: str, other: str) -> None:
    """Another number, version, name, environment, direction; a negation; or too little to know it by."""
    assert not is_similar(one, other)
    assert not is_similar(other, one)


def test_the_threshold_lies_between_the_two() -> None:
    """Every pair of the one kind is nearer than every pair of the other, which makes the threshold worth having."""
    assert min(compute_similarity(*pair) for pair in SAME) >= NEAR > max(compute_similarity(*pair) for pair in OTHER)


@pytest.mark.parametrize("text", ["", " \n ", "?", "\ud800", "`" * 7_000, "a" * 7_000, "<@U0ANA> " * 900])
def test_any_text_can_be_compared(text: str) -> None:
    """It says too little to be the same as anything."""
    assert not is_similar(text, text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("where is the retry limit set?", "where is the retry limti set?"),
        ("wher is the retry limit set", "where is the retry limit set?"),
        ("where is the retry limit set", "Where is the retry limit set?"),
        ("where is the retry limit set?", "where is the retry limit set please?"),
        ("how do i recieve the mails", "how do I receive the mails?"),
        ("where is time out set", "where is timeout set"),
        ("how often is a payment tried again?", "how often is a payment tryed again?"),
        ("Hi, where is the limit set?", "where is the limit set? thanks"),
        ("wo wird das Limit gesetzt", "Wo wird das Limt gesetzt?"),
        ("where is the limit set?", "where are the limits set?"),
    ],
)
def test_a_typo_and_politeness_leave_a_question_the_same(before: str, after: str) -> None:
    """From either side."""
    assert is_reworded(before, after)
    assert is_reworded(after, before)


@each_row(
    ("before", "after"),
    [
        ("where is the retry limit set?", "where is the timeout set?"),
        ("where is the limit set in prod?", "where is the limit set in staging?"),
        ("how do I enable it", "how do I disable it"),
        ("why is it 3", "why is it 5"),
        ("where is RETRY_LIMIT set", "where is RETRY_LIMITS set"),
        ("where is the shop deployed", "where is the ship deployed"),
        ("how is an order cancelled?", "how often is a payment tried again?"),
        ("where is the limit set?", "where is the limit set in staging"),
        ("is it on", "is it not on"),
        ("where is the limit set?", "how is the limit set?"),
        ("how do I export orders", "how do I import orders"),
        ("wo wird das Limit gesetzt", "warum wird das Limit gesetzt"),
        ("上限はどこで設定しますか", "通知はどこで設定しますか"),
        ("before the deploy", "after the deploy"),
        ("where is the limit set?", "where is the limit set? and who owns it?"),
    ],
)
def test_an_edit_may_make_another_question(before: str, after: str) -> None:
    """Another word that tells, another number or name, a negation, or more than was asked."""
    assert not is_reworded(before, after)
    assert not is_reworded(after, before)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("where is the limit set? " * 120, "Where is the limit set? " * 120, True),
        ("where is the limit set? " * 120, "where is the limit set? " * 119 + "where is it?", False),
        ("where is " + "a" * 70 + " set", "where is " + "a" * 69 + "b set", False),
    ],
)
def test_a_long_edit_is_compared_word_by_word(before: str, after: str, same: bool) -> None:
    """Typos are no matter there, and a very long word is no typo of another."""
    assert is_reworded(before, after) is same
