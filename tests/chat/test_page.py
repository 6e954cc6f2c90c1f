"""The pages of the commands."""

from __future__ import annotations

from scripts import command_json_page
from scripts.commands_page import PAGE, page


def test_the_page_says_what_the_catalogue_says() -> None:
    """It is written from the catalogue, so it cannot go stale unseen."""
    assert PAGE.read_text() == page()


def test_the_page_of_json_says_what_the_models_say() -> None:
    """Every field has a type that a program can rely on."""
    text = command_json_page.PAGE.read_text()
    assert text == command_json_page.page()
    assert [line for line in text.splitlines() if "any value" in line and "`settings`" not in line] == []
