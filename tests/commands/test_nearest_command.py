"""Nearest commands: by meaning, in several languages, or by letters; what changes something never by letters alone."""

from __future__ import annotations

import random
import string

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandSpec, build_catalogue
from bot.commands.inputs import EmptyInput
from bot.commands.nearest_command import find_nearest_command
from bot.commands.synonyms import SYNONYMS
from tests.tables import each_row

CHANGES = [spec for spec in CATALOGUE.values() if spec.tier != "read"]


def nearest(text: str) -> str | None:
    """The name of the command that a text is nearest to."""
    spec = find_nearest_command(text.split(), CATALOGUE.values())
    return spec.name if spec else None


@each_row(
    ("text", "name"),
    [
        *[(word, "get_token_usage") for word in ("usage", "cost", "costs", "Kosten", "budget", "coût", "gastos")],
        *[(word, "get_recent_events") for word in ("protokoll", "history")],
        *[("halt", "stop"), ("kill", "stop"), ("kill task", "stop_task"), ("cancel", "stop_task")],
        *[("freeze project shop", "pause_project"), ("hold", "pause"), ("weiter", "resume")],
        *[("settings", "config"), ("einstellungen", "config"), ("summary", "brief"), ("stats", "metrics")],
        *[("show note Deploy", "read_note"), ("show notes", "list_notes"), ("notizen", "list_notes")],
        *[("remove note x", "delete_note"), ("note löschen", "delete_note"), ("projekte", "list_projects")],
        *[("verdicts", "metrics"), ("show todos", "list_tasks"), ("lgtm", "approve_task")],
        *[("grep", "search_files"), ("retry", "restart_task"), ("what is pending?", "queue")],
        *[("create pull request", "git_create_pr"), ("new mr", "git_create_pr")],
        *[("wyh", "why"), ("hlep me", "help"), ("stauts", "status"), ("metrcis", "metrics"), ("queu", "queue")],
        *[("delet note x", "delete_note"), ("pause_projct", "pause_project"), ("project pasue shop", "pause_project")],
    ],
)
def test_a_word_leads_to_its_command(text: str, name: str) -> None:
    """A synonym, another language, a slip."""
    assert nearest(text) == name


@each_row(
    "text",
    [
        *(
            "",
            "   ",
            "banana",
            "top",
            "htop",
            "stpo",
            "pasue",
            "slop",
            "mote",
            "shop",
            "drop",
            "delete",
            "allwo",
            "show",
            "list",
            "open",
        ),
        *("log", "logs", "note Deploy", "project frobnicate", "deploy project", "x" * 10_000, "\u0000\ud800", "🙂"),
    ],
)
def test_words_that_mean_no_command_lead_to_none(text: str) -> None:
    """Or that may mean several."""
    assert nearest(text) is None


def slips(word: str) -> set[str]:
    """All words that differ from this one by a letter left out, added, wrong, or swapped with the next."""
    letters = string.ascii_lowercase
    parts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    left_out = {head + tail[1:] for head, tail in parts if tail}
    added = {head + letter + tail for head, tail in parts for letter in letters}
    wrong = {head + letter + tail[1:] for head, tail in parts if tail for letter in letters}
    swapped = {head + tail[1] + tail[0] + tail[2:] for head, tail in parts if len(tail) > 1}
    return (left_out | added | wrong | swapped) - {word}


@pytest.mark.parametrize("share", [8, pytest.param(1, marks=pytest.mark.long)])
def test_no_slip_of_one_word_leads_to_a_change(share: int) -> None:
    """Unless the slip is a word with that meaning itself: all slips of all names of one word, or one in eight."""
    names = [name for spec in CHANGES for name in (spec.name, *spec.also) if "_" not in name]
    tried = 0
    known = {*SYNONYMS, *CATALOGUE, *(f"{name}s" for name in names)}
    for word in sorted({slip for name in names for slip in slips(name)} - known)[::share]:
        spec = find_nearest_command([word], CATALOGUE.values())
        assert spec is None or spec.tier == "read", word
        tried += 1
    assert tried > 300 * len(names) / 2 / share


def test_slips_in_both_words_lead_to_no_change() -> None:
    """Nothing of such a name is sure."""
    chance = random.Random(7)
    for spec in CHANGES:
        if spec.name.count("_") == 1:
            words = spec.name.split("_")
            verb, noun = (chance.choice(sorted(slips(word) - SYNONYMS.keys() - {f"{word}s"})) for word in words)
            found = find_nearest_command([f"{verb}_{noun}"], CATALOGUE.values())
            assert found is None or found.tier == "read" or {verb, noun} & {*words}, (verb, noun)


def test_a_reading_command_is_found_from_a_slip() -> None:
    """Nearly always, and never as a change: two hundred slips of names."""
    chance, found, tried = random.Random(11), 0, 0
    for spec in CATALOGUE.values():
        if spec.tier == "read" and len(spec.name) > 4:
            for slip in chance.sample(sorted(slips(spec.name)), 8):
                meant = find_nearest_command([slip], CATALOGUE.values())
                assert meant is None or meant.tier == "read", slip
                found, tried = found + (meant is spec), tried + 1
    assert tried > 150
    assert found > 0.85 * tried


def test_equally_near_commands_are_none() -> None:
    """Nothing is guessed."""

    def spec(name: str) -> CommandSpec:
        return CommandSpec(name=name, summary="does it", input=EmptyInput, role="member", tier="read")

    both = build_catalogue(spec("read_lamp"), spec("find_lamp"))
    assert find_nearest_command(["lamp"], both.values()) is None
    assert find_nearest_command(["lamp"], [both["read_lamp"]]) is None  # its verb is not implied
    assert find_nearest_command(["lamp"], [spec("get_lamp")]) == spec("get_lamp")
    assert find_nearest_command(["lamp"], []) is None
