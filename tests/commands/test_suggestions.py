"""Answers to words that name no command: the nearest one, an everyday order, several, a subject, or nothing."""

from __future__ import annotations

import pytest

from blocks.text import escape
from bot.commands.catalogue import CATALOGUE
from bot.commands.field_order import ObjectNames
from bot.commands.suggestions import describe_unknown, find_meant_command, suggest_narrower
from bot.decide.orders import order_parser
from tests.chat.crew import command, handler
from tests.tables import each_row

GERMAN = order_parser(("de",))
READING = {name: spec for name, spec in CATALOGUE.items() if spec.tier == "read"}


@each_row(
    ("text", "words"),
    [
        ("kosten", "The nearest is `get_token_usage`: "),
        ("was wartet", "The nearest is `queue`: "),
        ("alles stoppen", "The nearest is `stop`: "),
        ("health", "The nearest is `services`: "),
        ("quit", "The nearest is `stop`: "),
        ("помощь", "The nearest is `help`: "),
        ("帮助", "The nearest is `help`: "),
        ("create", "It may be `create_"),
        ("delete", "`delete_note`"),
        ("list", "`list_"),
        ("get", "`get_"),
        ("resum", "It may be `resume`, `resume_project`. `help` lists them all."),
        ("top", "There is no command `top`. `help` lists them all."),
        ("project frobnicate", "`help projects` lists the commands on projects."),
        ("channel project", "These words may mean `get_project_channels` or `get_project_for_channel`: type one"),
        (" ", "The name of the command is empty. `help` lists them all."),
        ("banana", "There is no command `banana`. `help` lists them all."),
        ("<!channel>` x", "There is no command `&lt;!channel&gt;' x`. "),
        ("project pasue shop", "There is no command `project pasue`. The nearest is `pause_project`: "),
        ("x" * 5_000, "`help` lists them all."),
    ],
)
def test_an_unknown_word_is_answered_with_a_next_step(text: str, words: str) -> None:
    """In one short line."""
    answer = describe_unknown(text.split() or [text], CATALOGUE, GERMAN)
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


@pytest.mark.parametrize(
    ("name", "words", "nearest"),
    [
        ("pause", "beta", "pause_project <project>"),
        ("pause", "the BETA please", "pause_project <project>"),
        ("pause", "nonsense", "pause_project <project>"),
        ("pause", "#help", None),
        ("resume", "beta", "resume_project <project>"),
        ("stop", "beta", None),
        ("stop", "fix-flyout-0219-1430-k7x2mq", "stop_task [task]"),
        ("status", "beta", None),
        ("pause", "", None),
    ],
)
def test_more_words_than_a_command_takes_may_mean_one_for_an_object(name: str, words: str, nearest: str | None) -> None:
    """With the same verb; of several, the one that takes such a name, and none without their right."""
    names, spec = ObjectNames(projects=("beta",), channels=("help",)), CATALOGUE[name]
    hint = suggest_narrower(spec, words.split(), CATALOGUE, names)
    assert hint.startswith(f" The nearest is `{escape(nearest)}`: " if nearest else "")
    assert bool(hint) == (nearest is not None)
    assert "nonsense" not in hint
    assert suggest_narrower(spec, words.split(), READING, names) == ""


async def test_the_answer_to_surplus_words_names_the_nearest_command() -> None:
    """Among those that the person may give."""
    desk = handler(catalogue=CATALOGUE)
    answer = await desk.execute("pause", {"word 1": "beta"}, command())
    assert answer.outcome == "invalid"
    assert "Usage: `pause` The nearest is `pause_project &lt;project&gt;`: holds" in answer.line
    answer = await desk.execute("queue", {"word 1": "beta"}, command())
    assert answer.line.endswith("Usage: `queue`")
