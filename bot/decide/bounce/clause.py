"""Clause of a bounce reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.decide.bounce.contrast import find_contrasted
from bot.decide.bounce.file_kinds import kinds_in
from bot.decide.bounce.words import DO_NOT, NEGATIVE, WANTS_NOT

_BARE = 3
"""Maximum of words in a clause with a verdict only: *wrong*, *is not right*."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Part of a sentence, with its verdict and the references that it names."""

    text: str
    is_negative: bool
    is_positive: bool
    omits: bool
    """True if it says that the draft lacks its places."""
    named: frozenset[int]
    is_joined: bool
    """True if it goes on in the next clause: *the first and the second are wrong*."""

    @property
    def is_bare(self) -> bool:
        """Return whether it has a verdict for its neighbour's place, and names none."""
        has_verdict = self.is_negative or self.is_positive
        if not has_verdict or self.named or len(self.text.split()) > _BARE:
            return False
        return not (self.refuses and (kinds_in(self.text) or find_contrasted(self.text)))

    @property
    def refuses(self) -> bool:
        """Return whether it begins by calling a place wrong or unwanted: *not the example*."""
        text = self.text.strip()
        return not self.omits and bool(
            re.match(rf"(?:{NEGATIVE})|{DO_NOT}", text, re.I) or re.search(WANTS_NOT, text, re.I)
        )
