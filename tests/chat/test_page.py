"""The pages of the commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.commands.catalogue import CATALOGUE
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


CHAT = Path(__file__).resolve().parents[2] / "docs" / "chat.md"


@pytest.mark.parametrize(
    ("when", "names"),
    [
        ("always", {spec.name for spec in CATALOGUE.values() if spec.needs_press}),
        (
            "always, and from everywhere else, too",
            {spec.name for spec in CATALOGUE.values() if spec.always_asks and spec.tier != "irreversible"},
        ),
    ],
)
def test_the_page_of_the_chat_names_each_command_that_waits_for_a_press(when: str, names: set[str]) -> None:
    """As the decorators say."""
    (row,) = re.findall(rf"^\| (`.*`) \| {when} \|$", CHAT.read_text(), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", row)) == sorted(names)
