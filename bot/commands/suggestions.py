"""Suggestions for words that name no command: the nearest one, several that they may mean, or a subject. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command_phrases import MOST_WORDS, find_phrase
from bot.commands.nearest_command import find_nearest_command
from bot.commands.nearest_name import LONGEST_WORD
from bot.commands.subjects import find_subject, find_subject_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.commands.command import CommandSpec

_HELP = "`help` lists them all."


def describe_unknown(words: Sequence[str], catalogue: Mapping[str, CommandSpec]) -> str:
    """Say that words name no command, and what they may mean among those of a catalogue."""
    shown_name = escape(clip(" ".join(words[0].split()), LONGEST_WORD)).replace("`", "'")
    return f"There is no command `{shown_name}`. {suggest(words, catalogue)}"


def suggest(words: Sequence[str], catalogue: Mapping[str, CommandSpec]) -> str:
    """Return what words may mean, and how to see more."""
    phrase = find_phrase(words[:MOST_WORDS], catalogue)
    if phrase and len(phrase.specs) > 1:
        names = " or ".join(f"`{spec.name}`" for spec in phrase.specs)
        return f"These words may mean {names}: type one of them."
    if nearest := find_nearest_command(words, catalogue.values()):
        return f"The nearest is `{nearest.name}`: {nearest.summary}. {_HELP}"
    subject = find_subject_named(words[0])
    if subject and any(find_subject(spec) == subject for spec in catalogue.values()):
        return f"`help {subject.name}` lists the commands on {subject.name}."
    return _HELP
