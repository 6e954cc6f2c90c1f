"""Quotes in the lines that they cite, by table."""

from __future__ import annotations

import pytest

from bot.decide.grounding.quoted_lines import find_own_text

BLOCK = ["    if a:", "      return number"]


@pytest.mark.parametrize(
    ("cited", "quote", "expected"),
    [
        (BLOCK, "if a:\n  return number", "    if a:\n      return number"),
        (BLOCK, "  if a:\n    return number", "    if a:\n      return number"),
        (BLOCK, "  if a:\n    return num", None),
        (BLOCK, "if a:\n  return num", None),
        (["always set", "a or b"], "set\na or", "set\na or"),
        (["never set", "a or b"], "set\na or", "never set\na or b"),
        (["set a", "b is not on"], "a\nb", "set a\nb is not on"),
    ],
)
def test_a_quote_is_shown_in_the_lines_of_the_file(cited: list[str], quote: str, expected: str | None) -> None:
    """With a part of their indent removed too, never within a word, and whole lines beside a negation."""
    assert find_own_text(cited, quote) == expected
