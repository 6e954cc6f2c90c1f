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
from bot.commands.command import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bot.commands.command import CommandSpec

MOST_WORDS = 200
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


def parsed(text: str, catalogue: Mapping[str, CommandSpec] = CATALOGUE) -> tuple[str, dict[str, str]]:
    """Parse a line into the command's name and its words by field; an empty line is `help`."""
    first, rest = [*text.split(maxsplit=1), "", ""][:2]
    return _parsed(first or "help", rest, tuple(islice(_words(rest), MOST_WORDS)), catalogue)


def parsed_words(words: Sequence[str], catalogue: Mapping[str, CommandSpec] = CATALOGUE) -> tuple[str, dict[str, str]]:
    """Parse words split by a shell; quotes in them are plain characters."""
    first, *others = words or ["help"]
    made, start = [], 0
    for word in others[:MOST_WORDS]:
        made.append(_plain(start, word))
        start += len(word) + 1
    return _parsed(first, " ".join(others), tuple(made), catalogue)


def _words(text: str) -> Iterator[CommandWord]:
    for found in _WORD.finditer(text):
        quoted = found["straight"] if found["straight"] is not None else found["curly"]
        if quoted is not None:
            plain = found[0] if found["key"] else quoted
            yield CommandWord(found.start(), plain, found["key"], quoted, is_quoted=True)
        else:
            yield _plain(found.start(), found[0])


def _plain(start: int, word: str) -> CommandWord:
    said = _NAMED.fullmatch(word)
    return CommandWord(start, word, said and said["key"], said["value"] if said else word)


def _parsed(
    first: str, text: str, words: tuple[CommandWord, ...], catalogue: Mapping[str, CommandSpec]
) -> tuple[str, dict[str, str]]:
    name = first.lower()
    spec = named(name, catalogue)
    if spec is None:
        return name, _surplus(0, [word.plain for word in words])
    return name, _with_rest(spec, text, words) if spec.rest else _in_order(spec, words)


def _in_order(spec: CommandSpec, words: tuple[CommandWord, ...]) -> dict[str, str]:
    """Fill the named fields first, then the others in order."""
    fields = [*spec.input.model_fields]
    given: dict[str, str] = {}
    plain = []
    for word in words:
        if word.key in fields and word.key not in given:
            given[word.key] = word.value
        else:
            plain.append(word.plain)
    free = [field for field in fields if field not in given]
    given |= dict(zip(free, plain, strict=False))
    return given | _surplus(len(fields), plain[len(free) :])


def _with_rest(spec: CommandSpec, text: str, words: tuple[CommandWord, ...]) -> dict[str, str]:
    """Fill fields word by word until only the last one is left, which takes the rest."""
    *before, last = spec.input.model_fields
    needed = [field for field in before if spec.input.model_fields[field].is_required()]
    given: dict[str, str] = {}
    for place, word in enumerate(words):
        open_fields = [field for field in needed if field not in given]
        if word.key in before and word.key not in given:
            given[word.key] = word.value
        elif word.key == last and last not in given:
            if not word.is_quoted:
                return given | {last: text[word.start + len(last) + 1 :].strip()}
            given[last] = word.value
        elif open_fields:
            given[open_fields[0]] = word.plain
        elif last in given:
            return given | _surplus(len(spec.input.model_fields), [each.plain for each in words[place:]])
        else:
            return given | {last: text[word.start :].strip()}
    return given


def _surplus(before: int, words: Sequence[str]) -> dict[str, str]:
    return {f"word {number}": word for number, word in enumerate(words, before + 1)}
