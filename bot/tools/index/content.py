"""Indexed content of a file: its passages, the keys of each, and its definitions. No text is stored.

The keys exclude text that redaction removes, and random-looking words.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import Passage, defined_name, split_passages
from bot.decide.retrieval.word_keys import count_keys, keys_of_token
from bot.tools.files import lines_of
from bot.tools.index.grammars import Defined, definitions_in, language_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence

_MOST_PASSAGES = 2_000
"""Maximum number of passages of one file; a file with more is a data table."""
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Content:
    """Indexed content of one file version."""

    passages: tuple[Passage, ...]
    keys: tuple[Counter[str], ...]
    """Keys of each passage."""
    definitions: tuple[Defined, ...]
    parsed: bool
    """True if a grammar found the passages, so that their names are code names; else they are derived from lines."""


def name_of(path: str, content: bytes) -> str:
    """Return git's name of a content, with the language that it is read as."""
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324  # git's name of it
    return f"{blob}:{language_of(path) or path.rpartition('.')[2].lower()[:12]}"


def read_content(path: str, content: bytes, redact: Callable[[str], str], *, parse: bool = True) -> Content:
    """Build the indexed content of a file; `parse` is false if its grammar must not be used."""
    lines = lines_of(content)
    redacted_lines = redact("\n".join(lines)).split("\n") if lines else []
    defined = _definitions(path, content, redacted_lines) if parse else None
    extents = (
        None
        if defined is None
        else [(definition.first, definition.last, definition.depth, definition.name) for definition in defined]
    )
    parts = split_passages(path, redacted_lines, extents)[:_MOST_PASSAGES]
    keys = [_keys(redacted_lines, part) for part in parts]
    if defined is None:
        defined = [
            Defined(name, part.start, part.end, 0)
            for part in parts
            if part.names and (name := part.names[-1]) and " " not in name
            if any(defined_name(line) == name for line in redacted_lines[part.start - 1 : part.start + 8])
        ]
    return Content(
        tuple(parts),
        tuple(keys),
        tuple(definition for definition in defined if keys_of_token(_last_word(definition.name))),
        extents is not None,
    )


def _definitions(path: str, content: bytes, redacted_lines: Sequence[str]) -> list[Defined] | None:
    """Parse the definitions with the language's grammar; `None` without one, or if redaction moved lines."""
    language = language_of(path)
    definitions = definitions_in(language, content) if language else None
    if definitions is None or any(definition.last > len(redacted_lines) + 1 for definition in definitions):
        return None
    return [
        Defined(definition.name, definition.first, min(definition.last, len(redacted_lines)), definition.depth)
        for definition in definitions
        if len(definition.name) <= _LONGEST_NAME
        and "\n" not in definition.name
        and definition.name in "\n".join(redacted_lines[definition.first - 1 : definition.first + 3])
    ]


def _keys(lines: Sequence[str], part: Passage) -> Counter[str]:
    """Count the keys of a passage, with those of the names around it."""
    counts = count_keys("\n".join(line[:1_000] for line in lines[part.start - 1 : part.end]))
    for name in part.names:
        for key in _keys_of_name(name):
            counts[key] += 1
    return counts


@lru_cache(4_096)
def _keys_of_name(name: str) -> tuple[str, ...]:
    """Return the keys of a function's or section's name, which many passages share."""
    return tuple(count_keys(name))


def _last_word(name: str) -> str:
    """Return the last word of a dotted name."""
    return name.replace("::", ".").rpartition(".")[2]
