"""Cache of definitions by file: questions about one project read the same files repeatedly. Pure."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from bot.decide.values.definitions import definitions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.values.definition import Definition

_MOST_FILES = 256
"""Maximum number of cached files."""


class _Text:
    """Lines of a file, compared by the digest of their text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines: Sequence[str] = lines
        self._digest = blake2b("\n".join(lines).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def __hash__(self) -> int:
        return hash(self._digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Text) and other._digest == self._digest


def known_definitions(path: str, lines: Sequence[str]) -> tuple[Definition, ...]:
    """Return all definitions of a file, in order."""
    text = _Text(lines)
    file_definitions = _definitions(path, text)
    text.lines = ()  # only the digest is cached
    return file_definitions


@lru_cache(maxsize=_MOST_FILES)
def _definitions(path: str, text: _Text) -> tuple[Definition, ...]:
    return tuple(definitions(path, text.lines))
