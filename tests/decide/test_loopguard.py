"""The loop guard by table."""

from __future__ import annotations

import pytest

from bot.decide.loopguard import CallSignature, Circle, Failed, find_circle, find_same_error, sign_call, sign_failure


def calls(letters: str) -> list[CallSignature]:
    """One call for each letter; equal letters are equal calls."""
    return [CallSignature("read_file", letter) for letter in letters]


def word(found: Circle | None) -> str:
    """`warn`, `stop`, or nothing."""
    return "" if found is None else "stop" if found.must_stop else "warn"


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
    assert word(find_circle(calls(letters))) == said


def test_repeats_are_looked_for_before_alternation() -> None:
    """A row of equal calls is no alternation of two."""
    found = find_circle(calls("aaaaaaaa"))
    assert found is not None
    assert "the same call 8 times in a row: read_file a" in found.reason


def test_the_order_of_keys_makes_no_other_call() -> None:
    """Equal inputs are equal however they are written; another tool or value is another call."""
    assert sign_call("grep", {"a": 1, "b": "x"}) == sign_call("grep", {"b": "x", "a": 1})
    assert sign_call("grep", {"a": 1}) != sign_call("grep", {"a": 2})
    assert sign_call("grep", {"a": 1}) != sign_call("find", {"a": 1})


A, B = sign_call("read_file", {"path": "a"}), sign_call("read_file", {"path": "b"})


@pytest.mark.parametrize(
    ("errors", "stops"),
    [
        ([], False),
        ([sign_failure(A, "no such file")], False),
        ([sign_failure(A, "no such file"), sign_failure(A, "no such file")], True),
        ([sign_failure(A, "no such\n   file "), sign_failure(A, "no such file")], True),
        ([sign_failure(A, "x" * 200 + "one"), sign_failure(A, "x" * 200 + "two")], True),
        ([sign_failure(A, "no such file"), sign_failure(B, "no such file")], False),
        ([sign_failure(A, "no such file"), sign_failure(A, "is a folder")], False),
        ([sign_failure(A, "x"), *[sign_failure(A, str(n)) for n in range(18)], sign_failure(A, "x")], True),
        ([sign_failure(A, "x"), *[sign_failure(A, str(n)) for n in range(19)], sign_failure(A, "x")], False),
        ([sign_failure(A, "x"), sign_failure(A, "x"), sign_failure(A, "y")], False),
    ],
)
def test_the_same_error_twice(errors: list[Failed], stops: bool) -> None:
    """Tool, input and the first 200 characters, white space folded, among the last 20."""
    assert (word(find_same_error(errors)) == "stop") is stops
