"""Words that people type, and those that they meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIKE = 0.5
LONGEST_WORD = 60
"""Characters of what somebody typed that an answer or the audit repeats."""


def alike(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that is spelt most like `word`; `None` where none is at all."""
    near = difflib.get_close_matches(word[:LONGEST_WORD].lower(), sorted(known), n=1, cutoff=_ALIKE)
    return near[0] if near else None


def suggested(word: str, known: Iterable[str]) -> str:
    """`; the nearest is open`, or nothing where the word is spelt like none of `known`."""
    near = alike(word, known)
    return f"; the nearest is {near}" if near else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The one of `known` that is spelt most like `word`."""
    names = sorted(known)
    near = difflib.get_close_matches(word[:LONGEST_WORD].lower(), names, n=1, cutoff=0.0)
    return near[0] if near else names[0]
