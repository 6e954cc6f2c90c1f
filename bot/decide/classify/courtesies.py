"""Greetings and thanks of languages without a pack: whether a text says nothing else. Pure.

The table is `courtesies.yml`, a row per language.
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
"""Whom they may name in any language."""
_GAP = r"[^\w\x01\x02]*"
"""What may stand between them: marks, blanks and emoji, no code and no link."""
_LONGEST = 200
"""Characters of a text that does nothing but greet or thank."""
_MOST_WORDS = 6
"""Words that say what somebody is thanked for."""


@dataclass(frozen=True)
class Courtesies:
    """The greetings and thanks of all rows. Read them with `courtesies`."""

    greetings: frozenset[str]
    thanks: frozenset[str]
    _greets: re.Pattern[str]
    _thanks: re.Pattern[str]

    def greets(self, said: str) -> bool:
        """Return whether a text of `prose` greets and says nothing else."""
        return len(said) <= _LONGEST and bool(self._greets.fullmatch(said))

    def thanked(self, said: str) -> bool:
        """Return whether a text of `prose` thanks, perhaps for something, and says nothing else."""
        return len(said) <= _LONGEST and bool(self._thanks.fullmatch(said))


@cache
def courtesies() -> Courtesies:
    """Read the table once."""
    rows = packaged_table("courtesies.yml").values()
    greetings, thanks, reasons = (
        {one_form(word).lower(): row.get("spaced") != "false" for row in rows for word in row[key]}
        for key in ("greetings", "thanks", "for")
    )
    greets = rf"(?:(?:{_either(greetings)}|{_either(dict.fromkeys(_ADDRESSED, True))}){_GAP})"
    ends = rf"(?:{_either(reasons)}(?:\s+[^\W\d_][\w'-]*){{1,{_MOST_WORDS}}}{_GAP})?"
    return Courtesies(
        greetings=frozenset(greetings),
        thanks=frozenset(thanks),
        _greets=re.compile(rf"{_GAP}{greets}*{_either(greetings)}{_GAP}{greets}*"),
        _thanks=re.compile(
            rf"(?!.*[?\u061f]){_GAP}{greets}{{0,4}}{_either(thanks)}{_GAP}(?:{_either(thanks)}{_GAP}|{greets}){{0,4}}{ends}"
        ),
    )


def _either(words: dict[str, bool] | Iterable[str]) -> str:
    """A pattern for any of these, the longest first; a word that stands apart ends there."""
    spaced = words if isinstance(words, dict) else dict.fromkeys(words, True)
    each = sorted(spaced, key=lambda word: (-len(word), word))
    apart, joined = ("|".join(re.escape(word) for word in each if spaced[word] is kind) for kind in (True, False))
    return rf"(?:(?:{apart})(?!\w)|{joined})" if joined else rf"(?:(?:{apart})(?!\w))"
