"""Greetings and thanks in languages without a pack, and detection of texts that consist of nothing else. Pure.

The table is `courtesies.yml`, one row per language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bot.decide.letters import one_form
from bot.decide.word_tables import packaged_table

if TYPE_CHECKING:
    from collections.abc import Iterable

_ADDRESSED = ("triage", "bot", "@\x03", "\x03")
"""Addressees that may be named in any language."""
_GAP = r"[^\w\x01\x02]*"
"""Separators between the words: punctuation, blanks and emoji, but neither code nor links."""
_LONGEST = 200
"""Maximum length in characters of a text that only greets or thanks."""
_MOST_WORDS = 6
"""Maximum number of words that state the reason for thanks."""


@dataclass(frozen=True)
class Courtesies:
    """Greetings and thanks of all languages, with their patterns."""

    greetings: frozenset[str]
    thanks: frozenset[str]
    _greets: re.Pattern[str]
    _thanks: re.Pattern[str]

    def is_greeting(self, text: str) -> bool:
        """Return whether a cleaned text only greets."""
        return len(text) <= _LONGEST and bool(self._greets.fullmatch(text))

    def is_thanks(self, text: str) -> bool:
        """Return whether a cleaned text only gives thanks, with or without a reason."""
        return len(text) <= _LONGEST and bool(self._thanks.fullmatch(text))


@cache
def courtesies() -> Courtesies:
    """Load the table and compile its patterns, once per process."""
    rows = packaged_table("courtesies.yml").values()
    greetings, thanks, reasons = (
        {one_form(word).lower(): row.get("spaced") != "false" for row in rows for word in row[key]}
        for key in ("greetings", "thanks", "for")
    )
    greets = rf"(?:(?:{_either_pattern(greetings)}|{_either_pattern(dict.fromkeys(_ADDRESSED, True))}){_GAP})"
    ends = rf"(?:{_either_pattern(reasons)}(?:\s+[^\W\d_][\w'-]*){{1,{_MOST_WORDS}}}{_GAP})?"
    return Courtesies(
        greetings=frozenset(greetings),
        thanks=frozenset(thanks),
        _greets=re.compile(rf"{_GAP}{greets}*{_either_pattern(greetings)}{_GAP}{greets}*"),
        _thanks=re.compile(
            rf"(?!.*[?\u061f]){_GAP}{greets}{{0,4}}{_either_pattern(thanks)}{_GAP}(?:{_either_pattern(thanks)}{_GAP}|{greets}){{0,4}}{ends}"
        ),
    )


def _either_pattern(words: dict[str, bool] | Iterable[str]) -> str:
    """Return a pattern for any of the words, longest first; a word of a script with spaces must end at a word
    boundary."""
    spaced = words if isinstance(words, dict) else dict.fromkeys(words, True)
    each = sorted(spaced, key=lambda word: (-len(word), word))
    apart, joined = ("|".join(re.escape(word) for word in each if spaced[word] is kind) for kind in (True, False))
    return rf"(?:(?:{apart})(?!\w)|{joined})" if joined else rf"(?:(?:{apart})(?!\w))"
