"""Parsing of a typed line into a command's name and input. Pure, and never raises.

The first words name the command (`command_phrases`), the others fill its fields (`field_order`). Words in quotes are
one word, and `field=value` names its field.
"""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from bot.commands.catalogue import CATALOGUE
from bot.commands.command_phrases import MOST_WORDS, find_phrase
from bot.commands.field_order import NO_NAMES, ObjectNames, fill_fields, fits, number_surplus
from bot.commands.words import CommandWord, parse_word, split_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.commands.command import CommandSpec

MAX_WORDS = 200
"""Number of words that are parsed; a text that takes the rest of the line may have any number."""
_OF_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")


def parse_line(
    text: str, catalogue: Mapping[str, CommandSpec] = CATALOGUE, object_names: ObjectNames = NO_NAMES
) -> tuple[str, dict[str, str]]:
    """Parse a line into the command's name and its words by field; an empty line is `help`."""
    return _parse(text or "help", tuple(islice(split_words(text), MAX_WORDS)), catalogue, object_names)


def parse_words(
    words: Sequence[str], catalogue: Mapping[str, CommandSpec] = CATALOGUE, object_names: ObjectNames = NO_NAMES
) -> tuple[str, dict[str, str]]:
    """Parse words split by a shell; quotes in them are plain characters."""
    command_words, start = [], 0
    for word in words[: MAX_WORDS + 1]:
        command_words.append(parse_word(start, word))
        start += len(word) + 1
    return _parse(" ".join(words), tuple(command_words), catalogue, object_names)


def _may_be_of_name(word: CommandWord) -> bool:
    return not word.is_quoted and bool(_OF_NAME.fullmatch(word.plain))


def _parse(
    text: str, words: tuple[CommandWord, ...], catalogue: Mapping[str, CommandSpec], object_names: ObjectNames
) -> tuple[str, dict[str, str]]:
    if not words:
        return "help", {}
    first, *others = words
    unknown = first.plain.lower(), number_surplus(0, [word.plain for word in others])
    phrase = find_phrase([word.plain for word in takewhile(_may_be_of_name, words[:MOST_WORDS])], catalogue)
    if phrase is None or len(phrase.specs) > 1:
        return unknown
    (spec,) = phrase.specs
    arguments = fill_fields(spec, text, words[phrase.length :], object_names)
    if phrase.is_noun and not fits(spec.input, arguments, object_names):
        return unknown  # what follows the noun may be a verb that no command has
    is_name = phrase.length == 1 and first.plain.lower() in (spec.name, *spec.also)
    return first.plain.lower() if is_name else spec.name, arguments
