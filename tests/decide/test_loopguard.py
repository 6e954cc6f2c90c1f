"""The loop guard by table."""

from __future__ import annotations

import pytest

from bot.decide.loopguard import Circle, Failed, Made, circle, failed, made, same_error


def calls(letters: str) -> list[Made]:
    """One call for each letter; equal letters are equal calls."""
    return [Made("read_file", letter) for letter in letters]


def word(found: Circle | None) -> str:
    """`warn`, `stop`, or nothing."""
    return "" if found is None else "stop" if found.stop else "warn"


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ("", ""),
        ("a", ""),
        ("aa", ""),
        ("aaa", "warn"),
        ("baaa", "warn"),
        ("aaaa", "warn"),
        ("aaaaa", "stop"),
        ("aaaaaaaaa", "stop"),
        ("aabaa", ""),
        ("aaab", ""),
        ("ababa", ""),
        ("ababab", "warn"),
        ("cababab", "warn"),
        ("abababa", "warn"),
        ("abababab", "stop"),
        ("cdabababab", "stop"),
        ("ababcab", ""),
        ("abac", ""),
        ("abcabcabc", ""),
        ("ababaaa", "warn"),
        ("abababbb", "warn"),
    ],
)
def test_repeats_and_alternation(letters: str, said: str) -> None:
    """Only the newest calls count, and anything in between breaks the circle."""
    assert word(circle(calls(letters))) == said


def test_repeats_are_looked_for_before_alternation() -> None:
    """A row of equal calls is no alternation of two."""
    found = circle(calls("aaaaaaaa"))
    assert found is not None
    assert "the same call 8 times in a row: read_file a" in found.reason


def test_the_order_of_keys_makes_no_other_call() -> None:
    """Equal inputs are equal however they are written; another tool or value is another call."""
    assert made("grep", {"a": 1, "b": "x"}) == made("grep", {"b": "x", "a": 1})
    assert made("grep", {"a": 1}) != made("grep", {"a": 2})
    assert made("grep", {"a": 1}) != made("find", {"a": 1})


A, B = made("read_file", {"path": "a"}), made("read_file", {"path": "b"})


@pytest.mark.parametrize(
    ("errors", "stops"),
    [
        ([], False),
        ([failed(A, "no such file")], False),
        ([failed(A, "no such file"), failed(A, "no such file")], True),
        ([failed(A, "no such\n   file "), failed(A, "no such file")], True),
        ([failed(A, "x" * 200 + "one"), failed(A, "x" * 200 + "two")], True),
        ([failed(A, "no such file"), failed(B, "no such file")], False),
        ([failed(A, "no such file"), failed(A, "is a folder")], False),
        ([failed(A, "x"), *[failed(A, str(n)) for n in range(18)], failed(A, "x")], True),
        ([failed(A, "x"), *[failed(A, str(n)) for n in range(19)], failed(A, "x")], False),
        ([failed(A, "x"), failed(A, "x"), failed(A, "y")], False),
    ],
)
def test_the_same_error_twice(errors: list[Failed], stops: bool) -> None:
    """Tool, input and the first 200 characters, white space folded, among the last 20."""
    assert (word(same_error(errors)) == "stop") is stops
