"""Pieces of long texts: nothing is lost, and no piece ends inside code, a mention or a link."""

from __future__ import annotations

import random
import re

import pytest

from blocks.text_pieces import pieces

WORDS = ("word", "<@U0ANA>", "<https://x.y/z|a b>", "`some code`", "[a b](https://x.y/z)", "@Ana")


def random_text(chance: random.Random) -> str:
    """Paragraphs, blank lines, long words and fences."""
    parts = []
    for _ in range(chance.randint(1, 30)):
        match chance.random():
            case kind if kind < 0.2:
                code = (f"x = {chance.randint(0, 10**9)}" for _ in range(chance.randint(1, 20)))
                parts.append("\n".join(("```py", *code, "```")))
            case kind if kind < 0.4:
                parts.append("")
            case kind if kind < 0.45:
                parts.append("y" * chance.randint(1, 300))
            case _:
                parts.append(" ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 60))))
    return "\n".join(parts)


@pytest.mark.parametrize("limit", [60, 100, 200])
def test_nothing_is_lost_and_nothing_whole_is_cut(limit: int) -> None:
    """Of random texts; a fence that is too long is closed and opened again."""
    chance = random.Random(limit)
    for _ in range(100):
        text = random_text(chance)
        found = pieces(text, limit)
        assert all(len(piece) <= limit for piece in found)
        for piece in found:
            assert piece.count("```") % 2 == 0
            assert piece.count("`") % 2 == 0
            assert all(piece.count(one) == piece.count(other) for one, other in ("<>", "[]", "()"))
        words = [re.sub(r"\s|```py\b|```", "", text) for text in (text, "\n".join(found))]
        assert words[0] == words[1]


def test_a_piece_ends_at_a_paragraph_where_that_leaves_little() -> None:
    """A short text stays whole."""
    assert pieces("a\n\nb", 10) == ["a\n\nb"]
    assert pieces("one one one\n\ntwo\nthree three", 20) == ["one one one", "two\nthree three"]
