"""Suggestions for words that name no command: the nearest one, several that they may mean, or a subject. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import READ
from bot.commands.command_phrases import MOST_WORDS, find_phrase
from bot.commands.field_order import NAMED_FIELDS, NO_NAMES
from bot.commands.nearest_command import find_commands_of_verb, find_nearest_command
from bot.commands.nearest_name import LONGEST_WORD
from bot.commands.subjects import find_subject, find_subject_named
from bot.decide.orders.slots import OrderContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.commands.command import CommandSpec
    from bot.commands.field_order import ObjectNames
    from bot.decide.orders import OrderParser

_HELP = "`help` lists them all."
_MOST_NAMED = 5
"""Number of commands named for a word that several have as their verb."""
LONGEST_ORDER = 200
"""Characters of a text that may be an everyday order."""


def describe_unknown(
    words: Sequence[str],
    catalogue: Mapping[str, CommandSpec],
    orders: OrderParser | None = None,
    names: ObjectNames = NO_NAMES,
) -> str:
    """Say that words name no command, and what they may mean among those of a catalogue."""
    if not words[0].strip():
        return f"The name of the command is empty. {_HELP}"
    shown_words = escape(clip(" ".join(" ".join(words[:2]).split()), LONGEST_WORD)).replace("`", "'")
    return f"There is no command `{shown_words}`. {suggest(words, catalogue, orders, names)}"


def suggest(
    words: Sequence[str],
    catalogue: Mapping[str, CommandSpec],
    orders: OrderParser | None = None,
    names: ObjectNames = NO_NAMES,
) -> str:
    """Return what words may mean, and how to see more."""
    phrase = find_phrase(words[:MOST_WORDS], catalogue)
    if phrase and len(phrase.specs) > 1:
        either = " or ".join(f"`{spec.name}`" for spec in phrase.specs)
        return f"These words may mean {either}: type one of them."
    if meant := find_meant_command(words, catalogue, orders, names):
        return f"The nearest is `{meant.name}`: {meant.summary}. {_HELP}"
    subject = find_subject_named(words[0])
    if subject and any(find_subject(spec) == subject for spec in catalogue.values()):
        return f"`help {subject.name}` lists the commands on {subject.name}."
    if several := find_commands_of_verb(words[0], catalogue.values()) if len(words) == 1 else ():
        return f"It may be {', '.join(f'`{spec.name}`' for spec in several[:_MOST_NAMED])}. {_HELP}"
    return _HELP


def suggest_narrower(
    spec: CommandSpec, words: Sequence[str], catalogue: Mapping[str, CommandSpec], names: ObjectNames = NO_NAMES
) -> str:
    """Return the command with the same verb for one object, where a command was given more words than it takes.

    `pause beta` means `pause_project`. It repeats none of the words, and is empty if there is none, or more than one.
    """
    narrower = [each for each in catalogue.values() if each.name != spec.name and _has_verb(each, spec.name)]
    for field in NAMED_FIELDS:
        if any(names.has(field, word) for word in words):
            narrower = [each for each in narrower if field in each.input.model_fields]
    if not words or len(narrower) != 1:
        return ""
    (nearest,) = narrower
    return f" The nearest is `{escape(nearest.usage)}`: {nearest.summary}."


def _has_verb(spec: CommandSpec, verb: str) -> bool:
    """Return whether a name of a command is this verb with a noun."""
    return any(name.startswith(f"{verb}_") for name in (spec.name, *spec.also))


def find_meant_command(
    words: Sequence[str],
    catalogue: Mapping[str, CommandSpec],
    orders: OrderParser | None,
    names: ObjectNames = NO_NAMES,
) -> CommandSpec | None:
    """Return the nearest command, else the one of an everyday order: `was wartet` is `queue`.

    Orders are read with one wrong letter, too, so that a single word leads to no change.
    """
    if nearest := find_nearest_command(words, catalogue.values()):
        return nearest
    text = " ".join(words)
    if orders is None or len(text) > LONGEST_ORDER:
        return None
    context = OrderContext(projects=names.projects, channels=names.channels, commands=catalogue.keys())
    order = orders.parse(text, context)
    spec = catalogue.get(order.command or "") if order and not order.settles else None
    return spec if spec and (spec.tier == READ or len(words) > 1) else None
