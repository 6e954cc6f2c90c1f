"""Lines that repeat the question, by table."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.question_echo import find_echoes

QUESTION = "Hi all! Where is the retry limit set?"


@pytest.mark.parametrize(
    ("path", "line", "is_echo"),
    [
        ("demo.py", 'TRY = "ask: where is the retry limit set?"', True),
        ("demo.py", '"Where is the retry limit set?",', True),
        ("docs/faq.md", "## Where is the retry limit set?", False),
        ("docs/faq.md", "Ask Ana: *where is the retry limit set?*", True),
        ("shop.py", "RETRY_LIMIT = 3  # the retry limit is set here", False),
        ("shop.py", '"hi all"', False),
    ],
)
def test_a_line_that_repeats_the_question_is_no_answer(path: str, line: str, is_echo: bool) -> None:
    """Only a heading in a document may say the question and nothing else."""
    assert find_echoes(QUESTION, path, ["x = 1", line]) == ({2} if is_echo else set())


def test_a_short_question_has_no_echo() -> None:
    """Three words are a phrase that anybody would write."""
    assert find_echoes("why not retry?", "a.py", ["why not retry"]) == set()


@pytest.mark.parametrize(
    ("text", "is_echo"),
    [
        ("attempted to reach a closed store", False),
        ("attempted to reach a closed store?", True),
        ("how is it attempted to reach a closed store", True),
        ("hi how is it attempted to reach a closed store", True),
    ],
)
def test_a_message_that_was_pasted_is_no_echo(text: str, *, is_echo: bool) -> None:
    """What asks nothing may stand in the line that says it."""
    assert find_echoes(text, "a.py", [f'panic("{text}")']) == ({1} if is_echo else set())
