"""Words that people type, and those that they meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from blocks.text import escape

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIKE = 0.65
"""The share of letters in common, in their order, from which one word is a slip of another."""
LONGEST_WORD = 60
"""Characters of what somebody typed that an answer or the audit repeats."""


def alike(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that is spelt most like `word`; `None` where none is near."""
    names = {name.lower(): name for name in sorted(known)}
    near = difflib.get_close_matches(word[:LONGEST_WORD].lower(), names, n=1, cutoff=_ALIKE)
    return names[near[0]] if near else None


def suggested(word: str, known: Iterable[str]) -> str:
    """`; the nearest is open`, or nothing where the word is spelt like none of `known`."""
    near = alike(word, known)
    return f"; the nearest is {near}" if near else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """The same as a sentence after another one, for Slack."""
    near = alike(word, known)
    return f" The nearest is `{escape(near)}`." if near else ""
