"""What a reader sees of a text, by table."""

from __future__ import annotations

import pytest

from bot.models.visible import clean


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("می\u200cشود", "می\u200cشود"),
        ("क\u200cष", "क\u200cष"),
        ("\u200cمی\u200c \u200cشود\u200c", "می شود"),
        ("می\u200c\u200cشود", "میشود"),
        ("pass\u200cword", "password"),
        ("می\u200cword", "میword"),
        ("déjà\u200b vu\u202e", "déjà vu"),
    ],
)
def test_a_non_joiner_stays_where_it_is_spelling(text: str, seen: str) -> None:
    """Between two letters of a script that writes with it; elsewhere it only hides something."""
    assert clean(text) == seen
