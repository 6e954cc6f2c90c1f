"""Parts of a message with several questions, by table."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.question_parts import question_parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "where is the retry limit set? which service sends invoice mails?",
            ["where is the retry limit set?", "which service sends invoice mails?"],
        ),
        ("where is the retry limit set?", []),
        ("where is the retry limit set? why is that retry limit low?", []),
        ("where is the retry limit set? and why?", []),
    ],
)
def test_independent_questions_are_searched_for_separately(text: str, parts: list[str]) -> None:
    """One that depends on the other or has its words is not."""
    assert [part for part, _ in question_parts(text)] == parts
