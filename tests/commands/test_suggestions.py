"""Answers to words that name no command: the nearest one, an everyday order, several, a subject, or nothing."""

from __future__ import annotations

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.field_order import ObjectNames
from bot.commands.suggestions import describe_unknown, find_meant_command
from bot.decide.orders import order_parser

GERMAN = order_parser(("de",))
READING = {name: spec for name, spec in CATALOGUE.items() if spec.tier == "read"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kosten", "The nearest is `get_token_usage`: "),
        ("was wartet", "The nearest is `queue`: "),
        ("alles stoppen", "The nearest is `stop`: "),
        ("project frobnicate", "`help projects` lists the commands on projects."),
        ("channel project", "These words may mean `get_project_channels` or `get_project_for_channel`: type one"),
        ("banana", "There is no command `banana`. `help` lists them all."),
        ("<!channel>` x", "There is no command `&lt;!channel&gt;' x`. "),
        ("project pasue shop", "There is no command `project pasue`. The nearest is `pause_project`: "),
        ("x" * 5_000, "`help` lists them all."),
    ],
)
def test_an_unknown_word_is_answered_with_a_next_step(text: str, words: str) -> None:
    """In one short line."""
    answer = describe_unknown(text.split(), CATALOGUE, GERMAN)
    assert words in answer
    assert len(answer) < 400


@pytest.mark.parametrize(
    ("text", "name"), [("was wartet", "queue"), ("alles pausieren", "pause"), ("pausirren", None), ("vergiss es", None)]
)
def test_an_everyday_order_leads_to_its_command(text: str, name: str | None) -> None:
    """One word leads to no change, since orders are read with a wrong letter, too."""
    spec = find_meant_command(text.split(), CATALOGUE, GERMAN)
    assert (spec.name if spec else None) == name


def test_an_order_may_name_a_project() -> None:
    """One that exists."""
    names = ObjectNames(projects=("parcels",))
    spec = find_meant_command(["pausiere", "parcels"], CATALOGUE, GERMAN, names)
    assert spec
    assert spec.name == "pause_project"
    assert find_meant_command(["pausiere", "parcels"], CATALOGUE, GERMAN) is None


def test_only_commands_of_the_catalogue_are_named() -> None:
    """It has those that the person may give."""
    assert find_meant_command(["alles", "stoppen"], READING, GERMAN) is None
    assert find_meant_command(["halt"], READING, GERMAN) is None
    assert find_meant_command(["was", "wartet"], READING, None) is None
