"""Parsing of a typed line into a command's name and input. Pure, and never raises.

Words in quotes are one word, `field=value` names its field, and the last field of some commands takes the rest of the
line. Surplus words are passed on as `word N`, which the handler refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import find_spec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bot.commands.command import CommandSpec

MAX_WORDS = 200
"""Number of words that are parsed; a text that takes the rest of the line may have any number."""
_KEY = r"(?:(?P<key>[A-Za-z_][A-Za-z0-9_]{0,59})=)?"
_WORD = re.compile(_KEY + r'(?:"(?P<straight>[^"]*)"|“(?P<curly>[^“”]*)”)(?!\S)|\S+', re.DOTALL)
"""Pattern of a word: quoted (Slack's curly quotes included) up to its end, else a run of non-space characters."""
_NAMED = re.compile(rf"{_KEY}(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class CommandWord:
    """Word of a line: its offset, its text, and its parts if read as `field=value`."""

    start: int
    plain: str
    key: str | None
    value: str
    is_quoted: bool = False


def parse_line(text: str, catalogue: Mapping[str, CommandSpec] = CATALOGUE) -> tuple[str, dict[str, str]]:
    """Parse a line into the command's name and its words by field; an empty line is `help`."""
    first, rest = [*text.split(maxsplit=1), "", ""][:2]
    return _parse(first or "help", rest, tuple(islice(_split_words(rest), MAX_WORDS)), catalogue)


def parse_words(words: Sequence[str], catalogue: Mapping[str, CommandSpec] = CATALOGUE) -> tuple[str, dict[str, str]]:
    """Parse words split by a shell; quotes in them are plain characters."""
    first, *others = words or ["help"]
    command_words, start = [], 0
    for word in others[:MAX_WORDS]:
        command_words.append(_parse_word(start, word))
        start += len(word) + 1
    return _parse(first, " ".join(others), tuple(command_words), catalogue)


def _split_words(text: str) -> Iterator[CommandWord]:
    for match in _WORD.finditer(text):
        quoted = match["straight"] if match["straight"] is not None else match["curly"]
        if quoted is not None:
            plain = match[0] if match["key"] else quoted
            yield CommandWord(match.start(), plain, match["key"], quoted, is_quoted=True)
        else:
            yield _parse_word(match.start(), match[0])


def _parse_word(start: int, word: str) -> CommandWord:
    match = _NAMED.fullmatch(word)
    return CommandWord(start, word, match and match["key"], match["value"] if match else word)


def _parse(
    first: str, text: str, words: tuple[CommandWord, ...], catalogue: Mapping[str, CommandSpec]
) -> tuple[str, dict[str, str]]:
    name = first.lower()
    spec = find_spec(name, catalogue)
    if spec is None:
        return name, _number_surplus(0, [word.plain for word in words])
    return name, _with_rest(spec, text, words) if spec.rest else _in_order(spec, words)


def _in_order(spec: CommandSpec, words: tuple[CommandWord, ...]) -> dict[str, str]:
    """Fill the named fields first, then the others in order."""
    fields = [*spec.input.model_fields]
    arguments: dict[str, str] = {}
    plain = []
    for word in words:
        if word.key in fields and word.key not in arguments:
            arguments[word.key] = word.value
        else:
            plain.append(word.plain)
    free = [field for field in fields if field not in arguments]
    arguments |= dict(zip(free, plain, strict=False))
    return arguments | _number_surplus(len(fields), plain[len(free) :])


def _with_rest(spec: CommandSpec, text: str, words: tuple[CommandWord, ...]) -> dict[str, str]:
    """Fill fields word by word until only the last one is left, which takes the rest."""
    *before, last = spec.input.model_fields
    needed = [field for field in before if spec.input.model_fields[field].is_required()]
    arguments: dict[str, str] = {}
    for place, word in enumerate(words):
        open_fields = [field for field in needed if field not in arguments]
        if word.key in before and word.key not in arguments:
            arguments[word.key] = word.value
        elif word.key == last and last not in arguments:
            if not word.is_quoted:
                return arguments | {last: text[word.start + len(last) + 1 :].strip()}
            arguments[last] = word.value
        elif open_fields:
            arguments[open_fields[0]] = word.plain
        elif last in arguments:
            return arguments | _number_surplus(len(spec.input.model_fields), [each.plain for each in words[place:]])
        else:
            return arguments | {last: text[word.start :].strip()}
    return arguments


def _number_surplus(before: int, words: Sequence[str]) -> dict[str, str]:
    return {f"word {number}": word for number, word in enumerate(words, before + 1)}
