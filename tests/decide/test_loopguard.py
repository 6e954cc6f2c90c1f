"""The loop guard by table."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.loopguard import CallSignature, Circle, Failed, find_circle, find_same_error, sign_call, sign_failure
from tests.tables import each_row


def calls(letters: str) -> list[CallSignature]:
    """One call for each letter; equal letters are equal calls."""
    return [CallSignature("read_file", letter) for letter in letters]


def word(found: Circle | None) -> str:
    """`warn`, `stop`, or nothing."""
    return "" if found is None else "stop" if found.must_stop else "warn"


@each_row(
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


def pieces(*ranges: str, tool: str = "read_file", path: str = "a.py") -> list[CallSignature]:
    """One call for each range, such as `1-20`, or `b:1-20` of another file."""
    signed = []
    for each in ranges:
        other, _, lines = each.rpartition(":")
        first, last = map(int, lines.split("-"))
        signed.append(sign_call(tool, {"path": other or path, "first": first, "count": last - first + 1}))
    return signed


ON = [f"{first}-{first + 9}" for first in range(1, 200, 10)]
AGAIN = [f"{first}-{first + 5}" for first in range(20, 1, -1)]


@each_row(
    ("ranges", "said"),
    [
        (ON[:5], ""),
        (ON[:6], "warn"),
        (ON, "warn"),
        ([*ON[:5], "b:1-10", *ON[5:10]], ""),
        (["1-400", "30-40", *AGAIN[:2]], ""),
        (["1-400", *AGAIN[8:5:-1]], ""),
        (["1-400", *AGAIN[::-1]], "warn"),
        (["1-400", "30-40", *AGAIN[:3]], "warn"),
        (["1-400", "30-40", *AGAIN[:9]], "warn"),
        (["1-400", "30-40", *AGAIN[:10]], "stop"),
        (["1-400", "30-40", "b:1-9", *AGAIN[:10]], "stop"),
        (["1-400", "30-40", *AGAIN[:9], "b:1-9", AGAIN[9]], ""),
        (["1-400", "30-40", *AGAIN[:9], "401-410"], "warn"),
        (["1-400", "30-40", *AGAIN[:2], "390-410", *AGAIN[2:4]], "warn"),
        (["1-20", "21-40", "11-30", "5-35", "2-39"], "warn"),
        (["1-20", "31-40", "11-30", "5-35", "2-39"], ""),
        ([f"{first}-1000" for first in range(1, 900, 180)], ""),
        ([f"{first}-{first + 9}" for first in range(51, 1, -10)][:5], ""),
    ],
    ids=str,
)
def test_a_file_read_in_pieces(ranges: list[str], said: str) -> None:
    """Many pieces are noticed; only pieces without a new line end a run, since a cut answer makes a model read on."""
    assert word(find_circle(pieces(*ranges))) == said


@pytest.mark.parametrize(
    ("arguments", "target", "lines"),
    [
        ({"path": "a"}, '{"path":"a"}', (1, 300)),
        ({"path": "a", "first": 5}, '{"path":"a"}', (5, 304)),
        ({"path": "a", "first": 5, "count": 2, "ref": "v1"}, '{"path":"a","ref":"v1"}', (5, 6)),
        ({"path": "a", "first": 5, "last": 9}, '{"path":"a"}', (5, 9)),
        ({"path": "a", "first": "5", "count": True, "last": None}, '{"path":"a"}', (1, 300)),
        ({"path": 5, "first": 1}, "", (0, 0)),
        ({"text": "a", "first": 1}, "", (0, 0)),
        ("prose", "", (0, 0)),
        (None, "", (0, 0)),
    ],
    ids=str,
)
def test_a_target_is_an_input_without_its_range(arguments: Any, target: str, lines: tuple[int, int]) -> None:
    """Of any input that a model may make up."""
    signed = sign_call("read_file", arguments)
    assert (signed.target, signed.lines) == (target, lines)


def test_other_tools_and_files_are_other_targets() -> None:
    """Six pieces in a row are of one tool and one file."""
    mixed = [*pieces(*ON[:5]), *pieces(*ON[5:10], tool="git_blame"), *pieces(*ON[10:15], path="b.py")]
    assert find_circle(mixed) is None


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
