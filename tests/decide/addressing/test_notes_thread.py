"""Which words open a thread of notes."""

from __future__ import annotations

import pytest

from bot.decide.addressing.notes_thread import find_notes_project

NAMES = ("shop", "Billing.api")


@pytest.mark.parametrize(
    ("said", "project"),
    [
        ("notes for shop", "shop"),
        ("Notes for project `shop`:", "shop"),
        ("please take notes for billing.api here.", "Billing.api"),
        ("take notes on the shop please", "shop"),
        ("notes for nobody", None),
        ("notes for shop are out of date", None),
        ("where are the notes for shop?", None),
        ("read the notes of shop", None),
        ("", None),
        ("notes for " + "x-" * 50_000, None),
    ],
)
def test_words_that_say_nothing_else_open_it(said: str, project: str | None) -> None:
    """And only for a project that is there."""
    assert find_notes_project(said, NAMES) == project
