"""Words of a line: quoted or not, with or without the name of a field before them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def split_words(text: str) -> Iterator[CommandWord]:
    """Yield the words of a line."""
    for match in _WORD.finditer(text):
        quoted = match["straight"] if match["straight"] is not None else match["curly"]
        if quoted is not None:
            plain = match[0] if match["key"] else quoted
            yield CommandWord(match.start(), plain, match["key"], quoted, is_quoted=True)
        else:
            yield parse_word(match.start(), match[0])


def parse_word(start: int, word: str) -> CommandWord:
    """Parse a word without quotes around it."""
    match = _NAMED.fullmatch(word)
    return CommandWord(start, word, match and match["key"], match["value"] if match else word)
