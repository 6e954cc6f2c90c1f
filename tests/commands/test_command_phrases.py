"""Phrases of commands: `project pause` is `pause_project`, for every command there is, and nothing else changes."""

from __future__ import annotations

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandSpec, build_catalogue, find_spec
from bot.commands.command_phrases import find_phrase, singular, split_tokens
from bot.commands.inputs import EmptyInput
from bot.commands.parsing import parse_line, parse_words
from tests.chat.crew import command as typed
from tests.chat.crew import handler
from tests.tables import each_row

NAMES = [name for spec in CATALOGUE.values() for name in (spec.name, *spec.also) if "_" in name]


def meant(text: str) -> list[str]:
    """The commands that a line may mean."""
    phrase = find_phrase(text.split(), CATALOGUE)
    return [spec.name for spec in phrase.specs] if phrase else []


@each_row("name", NAMES)
def test_the_words_of_every_name_lead_to_its_command(name: str) -> None:
    """In their order, with the verb last, and with dashes; an argument behind them is none of them."""
    verb, *noun = name.split("_")
    spec = find_spec(name, CATALOGUE)
    assert spec
    for words in (f"{verb} {' '.join(noun)}", f"{' '.join(noun)} {verb}", name.replace("_", "-")):
        phrase = find_phrase([*words.split(), "Deploy"], CATALOGUE)
        assert phrase
        assert phrase.specs == (spec,)
        assert phrase.length == len(words.split())


@each_row("spec", CATALOGUE.values(), ids=lambda spec: spec.name)
def test_a_name_is_its_own_command_before_any_phrase(spec: CommandSpec) -> None:
    """With whatever follows, where the name is that of a model's tool."""
    for name in (spec.name, *spec.also):
        assert parse_line(name) == (name, {})
        if "_" in name:
            assert parse_line(f"{name} task stop")[0] == name


@each_row(
    ("text", "commands"),
    [
        ("projects", ["list_projects"]),
        ("project", ["get_project"]),
        ("PROJECT Pause", ["pause_project"]),
        ("pause project", ["pause_project"]),
        ("pause the project", ["pause_project"]),
        ("task stop", ["stop_task"]),
        ("tasks stop", ["stop_task"]),
        ("stop task", ["stop_task"]),
        ("stop", ["stop"]),
        ("stop everything", ["stop"]),
        ("tasks", ["list_tasks"]),
        ("task", ["thread"]),
        ("task result", ["get_task_result"]),
        ("task get result", ["get_task_result"]),
        ("notes shop", ["list_notes"]),
        ("note read", ["read_note"]),
        ("notes read", ["read_note"]),
        ("read note a", ["read_note"]),
        ("project channels", ["get_project_channels"]),
        ("project set channel", ["set_project_channel"]),
        ("project for channel", ["get_project_for_channel"]),
        ("project for the channel", ["get_project_for_channel"]),
        ("channel project", ["get_project_channels", "get_project_for_channel"]),
        ("recent events", ["get_recent_events"]),
        ("events", ["events"]),
        ("token usage", ["get_token_usage"]),
        ("my questions", ["mine"]),
        ("status get", ["status"]),
        ("help projects", ["help"]),
        ("mode live", ["mode"]),
        ("note", ["list_notes"]),
        ("notebook", []),
        ("banana project", []),
        ("the project", []),
        ("", []),
    ],
)
def test_a_phrase_is_read_by_one_rule(text: str, commands: list[str]) -> None:
    """Words of the name in any order and number; the noun alone lists (plural) or gets."""
    assert meant(text) == commands


@pytest.mark.parametrize(
    ("text", "name", "given"),
    [
        ("project pause shop", "pause_project", {"project": "shop"}),
        ("note write Deploy on  Fridays\nonly", "write_note", {"title": "Deploy", "content": "on  Fridays\nonly"}),
        ('note read "Deploy keys"', "read_note", {"title": "Deploy keys"}),
        ("project shop", "project", {"word 1": "shop"}),  # the project is not known here, and may be a verb
        ("project pasue shop", "project", {"word 1": "pasue", "word 2": "shop"}),
        ("channel project help", "channel", {"word 1": "project", "word 2": "help"}),
        ('"project" pause', "project", {"word 1": "pause"}),
        ("get_status", "get_status", {}),
        ("get status", "status", {}),
    ],
)
def test_words_after_a_phrase_fill_the_fields(text: str, name: str, given: dict[str, str]) -> None:
    """As after a name; what is ambiguous or unknown is passed on for the answer that says so."""
    assert parse_line(text) == (name, given)


def test_words_of_a_shell_are_a_phrase_too() -> None:
    """The rest is verbatim."""
    text = {"title": "Deploy keys", "content": "rotate monthly"}
    assert parse_words(["note", "write", "Deploy keys", "rotate", "monthly"]) == ("write_note", text)


@pytest.mark.parametrize(
    ("word", "one"),
    [
        *(
            ("projects", "project"),
            ("queries", "query"),
            ("status", "status"),
            ("process", "process"),
            ("chaos", "chao"),
        ),
        *(("analysis", "analysis"), ("is", "is"), ("gas", "gas"), ("notes", "note")),
    ],
)
def test_plurals(word: str, one: str) -> None:
    """Regular ones; it is enough that both sides of a comparison agree."""
    assert singular(word) == one
    assert split_tokens(f"get-{word}_x") == ("get", one, "x")


def test_one_word_names_have_no_phrases() -> None:
    """And two commands of the same words in another order stand for themselves."""

    def spec(name: str) -> CommandSpec:
        return CommandSpec(name=name, summary="does it", input=EmptyInput, role="member", tier="read")

    catalogue = build_catalogue(spec("look"), spec("get_look_for_me"), spec("for_get_me_look"))
    found = find_phrase(["look"], catalogue)
    assert found
    assert found.specs == (catalogue["look"],)
    found = find_phrase(["me", "get", "look"], catalogue)
    assert found
    assert {each.name for each in found.specs} == {"get_look_for_me", "for_get_me_look"}


async def test_an_ambiguous_phrase_is_refused_with_both() -> None:
    """Nothing is guessed."""
    name, given = parse_line("channel project help")
    answer = await handler().execute(name, given, typed())
    assert answer.outcome == "unknown"
    assert "`get_project_channels`" in answer.line
    assert "`get_project_for_channel`" in answer.line
