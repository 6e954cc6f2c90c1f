"""Misfits: clauses that say that the reply above is about something else, was tried before, or helped in part. Pure.

`decide/classify/denial` checks each clause of a follow-up against these words of the language packs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.decide.classify.phrases import beginning, is_inside, mask_phrases, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.classify.language_packs import Pack
    from bot.decide.classify.phrases import Phrases, Words

Misfit = Literal["misfit", "amiss"]
"""`misfit`: the reply is about something else, even next to thanks; `amiss`: less plainly so, or tried before."""

MISFIT_KEYS = (
    "attempts", "earlier", "pointers", "own_sides", "elsewhere", "corrections", "remainders", "stays", "symptoms",
    "failures", "thanks", "resolved", "negations", "denials", "otherwise",
    "doubts", "scopes", "own_cases",
)  # fmt: skip
_APART = 3
"""Maximum number of words between an attempt and its time: `tried that one this morning`."""
_OF = 2
"""Minimum number of words between *that's* and *other* when the clause tells the reply's subject: `that's for the
other server`."""
_SCOPED = 6
"""Number of leading words of a clause that may name the reply's subject: `this page only covers`."""
_SHARED = 3
"""Minimum length of the words by which two clauses are compared."""


@dataclass(frozen=True, slots=True)
class Misfits:
    """Misfit phrases of one language pack."""

    attempts: Phrases
    earlier: Phrases
    pointers: Phrases
    own_sides: Phrases
    elsewhere: Phrases
    corrections: Phrases
    remainders: Phrases
    stays: Phrases
    symptoms: Phrases
    failures: Phrases
    thanks: Phrases
    resolved: Phrases
    negations: Phrases
    denials: Phrases
    otherwise: Phrases
    doubts: Phrases
    scopes: Phrases
    own_cases: Phrases
    worked: Phrases

    def read(self, words: Words, openers: Phrases) -> Misfit | None:
        """Classify a clause without a word of success."""
        words = _skip_openers(words, openers)
        if beginning(words, self.corrections) or is_inside(words, self.doubts):
            return "amiss"
        if pointer := beginning(words, self.pointers) or beginning(words, self.own_sides):
            places = [other.start - len(pointer) for other in places_of(words, self.elsewhere)]
            return None if not places else "misfit" if max(places) >= _OF else "amiss"
        tried, earlier = places_of(words, self.attempts), places_of(words, self.earlier)
        near = (max(attempt.start - other.stop, other.start - attempt.stop) for attempt in tried for other in earlier)
        return "amiss" if any(apart <= _APART for apart in near) else None

    def is_elsewhere(self, clauses: Sequence[Words], openers: Phrases) -> bool:
        """Return whether clauses contrast the reply's subject with the asker's case: `mine are kegs`."""
        bare = [_skip_openers(words, openers) for words in clauses]
        own = [words for words in bare if beginning(words, self.own_cases)]
        others = [words for words in bare if words not in own and is_inside(words[:_SCOPED], self.scopes)]
        return bool(own and others) and not any(self._is_good(words) for words in bare)

    def serves_partly(self, clauses: Sequence[Words]) -> bool:
        """Return whether a clause reports that another part than an earlier one is still wrong."""
        is_good = False
        clauses = [mask_phrases(words, self.otherwise) for words in clauses]
        for at, words in enumerate(clauses):
            if is_good and self._is_open(words, clauses[:at]):
                return not any(self._is_good(each) for each in clauses[at + 1 :])
            is_good = is_good or self._is_good(words)
        return False

    def _is_good(self, words: Words) -> bool:
        return any(is_inside(words, good) for good in (self.worked, self.thanks, self.resolved, self.negations))

    def _is_open(self, words: Words, before: Sequence[Words]) -> bool:
        """Return whether a clause reports another part as unchanged: `the evening list is empty`."""
        if self._is_good(words):
            return False
        others = places_of(words, self.remainders)
        if any(0 <= other.start - no.stop < _OF for other in others for no in places_of(words, self.denials)):
            return True
        if not any(is_inside(words, bad) for bad in (self.stays, self.symptoms, self.failures)):
            return False
        subject = {word for word in words[:_SHARED] if len(word) >= _SHARED}
        return bool(others) or any(subject.intersection(each[: _SHARED + 1]) for each in before[-1:])


def _skip_openers(words: Words, openers: Phrases) -> Words:
    """Remove openers from the start of a clause."""
    while opener := beginning(words, openers):
        words = words[len(opener) :]
    return words


def misfit_inside(clause: str, pack: Pack) -> Misfit | None:
    """Classify a clause of a language without spaces, where a word may be part of any other."""

    def holds(key: str) -> bool:
        return any(word in clause for word in pack.words[key])

    if holds("corrections") or (holds("pointers") and holds("elsewhere")):
        return "misfit"
    tried = holds("attempts") and holds("earlier")
    return "amiss" if tried or holds("doubts") else None


def elsewhere_inside(parts: Sequence[str], pack: Pack) -> bool:
    """Return whether clauses of such a language contrast the reply's subject with the asker's case."""
    own = [part for part in parts if part.strip().startswith(pack.words["own_cases"])]
    return bool(own) and any(word in part for part in parts if part not in own for word in pack.words["scopes"])


def partly_inside(parts: Sequence[str], pack: Pack) -> bool:
    """Return whether a text in such a language reports a part that is still wrong."""
    is_good = False
    for part in parts:
        good = any(word in part for key in ("worked", "thanks", "resolved") for word in pack.words[key])
        if is_good and not good and any(word in part for word in pack.words["remainders"]):
            return any(word in part for key in ("stays", "sameness", "symptoms") for word in pack.words[key])
        is_good = is_good or good
    return False
