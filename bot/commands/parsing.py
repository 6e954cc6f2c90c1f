"""Parsing of a typed line into a command's name and input. Pure, and never raises.

The first words name the command (`command_phrases`), the others fill its fields (`field_order`). Words in quotes are
one word, and `field=value` names its field.
"""

from __future__ import annotations

import re
import unicodedata
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
_FIRST = re.compile(r"\s*\S+")
_OF_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")


def parse_line(
    text: str, catalogue: Mapping[str, CommandSpec] = CATALOGUE, object_names: ObjectNames = NO_NAMES
) -> tuple[str, dict[str, str]]:
    """Parse a line into the command's name and its words by field; an empty line is `help`."""
    text = _remove_invisible(text)
    return _parse(text or "help", tuple(islice(split_words(text), MAX_WORDS)), catalogue, object_names)


def parse_words(
    words: Sequence[str], catalogue: Mapping[str, CommandSpec] = CATALOGUE, object_names: ObjectNames = NO_NAMES
) -> tuple[str, dict[str, str]]:
    """Parse words split by a shell; quotes in them are plain characters.

    A first word with spaces in it is a line: no name has any.
    """
    first, *others = _remove_invisible(words[0]) if words else "", *words[1:]
    command_words = [*islice(split_words(first), MAX_WORDS)] or [parse_word(0, "")] if words else []
    start = len(first) + 1
    for word in others[:MAX_WORDS]:
        command_words.append(parse_word(start, word))
        start += len(word) + 1
    return _parse(" ".join((first, *others)), tuple(command_words), catalogue, object_names)


def _remove_invisible(text: str) -> str:
    """Remove invisible characters from the first word of a text, which is a command's name."""
    match = _FIRST.match(text)
    if match is None:
        return text
    return "".join(each for each in match[0] if unicodedata.category(each) != "Cf") + text[match.end() :]


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
