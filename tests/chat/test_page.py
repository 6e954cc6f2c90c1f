"""The page of the commands."""

from __future__ import annotations

from scripts.commands_page import PAGE, page


def test_the_page_says_what_the_catalogue_says() -> None:
    """It is written from the catalogue, so it cannot go stale unseen."""
    assert PAGE.read_text() == page()
