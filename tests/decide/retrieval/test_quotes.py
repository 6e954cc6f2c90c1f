"""Stretches of lines that can be quoted, by table."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.snippets import stretch

LINES = ["", "limit = 3", "", "x" * 5_000, "retry = 2", "", ""]


@pytest.mark.parametrize(
    ("start", "end", "line", "expected"),
    [
        (1, 3, 1, None),
        (1, 7, 4, None),
        (1, 3, 2, (2, 2)),
        (1, 7, 5, (5, 5)),
        (5, 7, 5, (5, 5)),
    ],
)
def test_a_stretch_ends_at_what_cannot_be_quoted(start: int, end: int, line: int, expected: object) -> None:
    """Empty lines at its ends are left out; a line that cannot be quoted has no stretch."""
    quote = stretch(LINES, start, end, line)
    assert (quote and (quote.start, quote.end)) == expected
