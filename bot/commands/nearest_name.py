"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from blocks.text import escape

if TYPE_CHECKING:
    from collections.abc import Iterable

_MIN_SIMILARITY = 0.65
"""Share of letters in common, in order, from which one word counts as a misspelling of another."""
LONGEST_WORD = 60
"""Characters of a typed word that an answer or the audit repeats."""


def find_nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the name of `candidates` that is spelt most like `word`; `None` if none is near."""
    names = {name.lower(): name for name in sorted(candidates)}
    near = difflib.get_close_matches(word[:LONGEST_WORD].lower(), names, n=1, cutoff=_MIN_SIMILARITY)
    return names[near[0]] if near else None


def suggest_clause(word: str, candidates: Iterable[str]) -> str:
    """Return `; the nearest is open`, or an empty string if no name is near."""
    near = find_nearest(word, candidates)
    return f"; the nearest is {near}" if near else ""


def suggest_sentence(word: str, candidates: Iterable[str]) -> str:
    """Return the suggestion as a sentence, for Slack."""
    near = find_nearest(word, candidates)
    return f" The nearest is `{escape(near)}`." if near else ""
