"""The project of a question in a direct message, by table."""

from __future__ import annotations

import pytest

from bot.decide.subject_project import subject_project
from bot.models.viewed_page import Page

PAGE = Page(channel_id="C0HELP", channel="help-platform", project="platform")
NO_PROJECT = PAGE.evolve(project=None)


@pytest.mark.parametrize(
    ("text", "chosen", "looked_at", "project"),
    [
        ("where is the limit set?", None, None, None),
        ("where is the limit set?", None, PAGE, "platform"),
        ("where is the limit set?", None, NO_PROJECT, None),
        ("where is the limit set?", "shop", PAGE, "shop"),
        ("where is the limit set in project:shop?", None, PAGE, None),
        ("where is the limit of Shop set?", "platform", PAGE, None),
        ("where do shoppers pay?", None, PAGE, "platform"),
    ],
)
def test_what_is_named_goes_before_what_was_chosen_and_that_before_the_page(
    text: str, chosen: str | None, looked_at: Page | None, project: str | None
) -> None:
    """A name is a whole word, in upper or lower case."""
    found = subject_project(text, projects=("shop", "platform"), chosen=chosen, looked_at=looked_at)
    assert (found and found.project) == project


def test_the_page_is_named_as_the_reason() -> None:
    """To the asker as their own, on the card as the asker's."""
    found = subject_project("where?", projects=(), chosen=None, looked_at=PAGE)
    assert found is not None
    assert (found.told, found.why) == (
        "#help-platform, which you are looking at",
        "#help-platform, which the asker looked at",
    )
