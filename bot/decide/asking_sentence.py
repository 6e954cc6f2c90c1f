"""The sentences of a message, for a second look: what stands around a question is no part of it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 6
"""Sentences that are looked at."""
LONGEST = 400
"""Characters of a message that is looked at again; a longer one tells something."""
_BREAK = re.compile(
    r"(?<=[.!?\u2026\u3002\uff01\uff1f\u061f])\s+|\n+|[()\[\]]|\s{0,9}:\s+|\s{1,9}[-\u2013\u2014]+\s+"
    r"|,\s+(?:but|so|and|aber|und|also|mais|et|pero|y|mas|e|tapi|dan)\s+"
)
_WORD = re.compile(r"\w")
_FEWEST = 3
"""Words of a question that stands for itself."""


def asking_sentences(said: str) -> Iterator[str]:
    """Yield the sentences of a text of `prose` that may ask by themselves; nothing where it is one sentence."""
    parts = [part for part in _BREAK.split(said) if part and _WORD.search(part)] if len(said) <= LONGEST else []
    if 1 < len(parts) <= MOST:
        yield from (part for part in parts if len(part.split()) >= _FEWEST)
