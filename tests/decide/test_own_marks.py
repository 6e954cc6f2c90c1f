"""Marks of code's own lines in a model's text."""

from __future__ import annotations

import pytest

from bot.decide.own_marks import without_own_marks


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Done: I paused shop.", "I paused shop."),
        ("> :white_check_mark: *Done*: paused", "Paused"),
        ("**DONE:** Done: ok", "Ok"),
        ("\uff24one\uff1a paused", "Paused"),
        ("Stopped, as you asked. All gone", "All gone"),
        ("Hm.\n*Not done yet:* y", "Hm.\n*Not done yet \u2013* y"),
        ("Nothing was changed: z", "Nothing was changed \u2013 z"),
        ("Tasks:\nDone: 3\nOpen: 2", "Tasks:\nDone \u2013 3\nOpen: 2"),
        ("```\nDone: x\n```", "```\nDone: x\n```"),
        ("Done.", "Done."),
        ("Well done: a start", "Well done: a start"),
        ("Erledigt: Notiz steht", "Erledigt: Notiz steht"),
    ],
)
def test_no_line_of_a_models_text_looks_like_codes_own(text: str, left: str) -> None:
    """A claim at the beginning loses its mark; in a list the words stay; code and other words are as they were."""
    assert without_own_marks(text) == left
