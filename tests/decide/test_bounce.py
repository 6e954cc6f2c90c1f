"""What a bounce asks of the next search: which references go and stay, what is searched for, what is to be shown."""

from __future__ import annotations

import pytest

from bot.decide.bounce import read_bounce
from bot.decide.terms import query

REFS = ("intake/watcher.py:5-9", "triage/limits.py:1-4", "docs/intake.md:1-3")


@pytest.mark.parametrize(
    ("feedback", "code", "dropped", "kept"),
    [
        ("the second one is wrong", None, {1}, {0, 2}),
        ("the second one", "wrong_place", {1}, {0, 2}),
        ("triage/limits.py:2", "wrong_place", {1}, {0, 2}),
        ("limits.py is not it", None, {1}, {0, 2}),
        ("watcher.py, line 6: wrong", None, {0}, {1, 2}),
        ("line 2 in limits.py is the wrong one", None, {1}, {0, 2}),
        ("the watcher one", "wrong_place", {0}, {1, 2}),
        ("keep the first, the others are wrong", None, {1, 2}, {0}),
        ("only the first is right", "wrong_place", {1, 2}, {0}),
        ("the first and the last are wrong", None, {0, 2}, {1}),
        ("The docs are fine but limits.py is a test", None, {1}, {0, 2}),
        ("use orders.py instead of watcher.py", "wrong", {0}, {1, 2}),
        ("#2 is irrelevant", None, {1}, {0, 2}),
        ("die zweite Stelle ist falsch", None, {1}, {0, 2}),
        ("la segunda es errada", None, {1}, {0, 2}),
        ("all wrong", None, {0, 1, 2}, set()),
        ("", "wrong_place", set(), set()),
        ("see orders.py", "wrong_place", set(), set()),
        ("the second attempt is what he asks about", None, set(), set()),
        ("An operator answers the open questions: The second.", None, set(), set()),
        ("show the default", None, set(), {0, 1, 2}),
        ("", "incomplete", set(), {0, 1, 2}),
    ],
)
def test_a_bounce_drops_what_it_names(feedback: str, code: object, dropped: set[int], kept: set[int]) -> None:
    """What is called wrong goes, the rest stays; a bounce that names nothing keeps nothing, unless it asks for more."""
    read = read_bounce(feedback, REFS, code, "Ana Silva")  # type: ignore[arg-type]  # a table of codes
    assert (read.dropped, read.kept) == (dropped, kept)


@pytest.mark.parametrize(
    ("feedback", "words"),
    [
        ("she wants the default", []),
        ("Ana meant the upload timeout, not the retry", ["upload", "timeout"]),
        ("Ana Silva asks for the number of seconds", []),
        ("the customer would like to know the queue's limit", ["queue", "limit"]),
        ("<@U1> is after `max_retries`", ["max_retries", "max", "retries"]),
        ("it is not the docs: look at billing/orders.py", ["billing", "orders", "py"]),
    ],
)
def test_words_about_the_asker_are_no_search_terms(feedback: str, words: list[str]) -> None:
    """Persons, and words about the draft, are left out; names of the project stay."""
    read = read_bounce(feedback, REFS, None, "Ana Silva")
    assert [term.word for term in query("", read.words).terms] == words


@pytest.mark.parametrize(
    ("feedback", "value", "whole"),
    [
        ("show the default", True, False),
        ("which number is it?", True, False),
        ("zeig den Standardwert", True, False),
        ("quel est le défaut ?", True, False),
        ("デフォルトを見せて", True, False),
        ("list the allowed values", True, True),
        ("quote the whole enum", False, True),
        ("not that place", False, False),
        ("see limits.py", False, False),
    ],
)
def test_a_bounce_can_ask_for_a_value(feedback: str, value: bool, whole: bool) -> None:
    """A default or a number is a value; a list or an enum is shown whole; the name of a file asks for neither."""
    read = read_bounce(feedback, REFS)
    assert (read.value, read.whole) == (value, whole)


@pytest.mark.parametrize(
    ("said", "dropped"),
    [
        ("not the example", {1}),
        ("wrong place: not the example", {1}),
        ("not the test file", {2}),
        ("nicht das Beispiel, bitte", {1}),
        ("show an example", set()),
        ("CODEOWNERS has nothing to do with it", set()),
    ],
)
def test_a_kind_of_file_that_is_refused_goes(said: str, dropped: set[int]) -> None:
    """And no word of a refusal is searched for."""
    refs = ("middleware/throttle.go:30-32", "_examples/limits/main.go:6-8", "middleware/throttle_test.go:4")
    correction = read_bounce(said, refs, "wrong_place")
    assert correction.dropped == dropped
    assert "CODEOWNERS" not in correction.words
