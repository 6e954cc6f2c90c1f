"""Words of alerts (`words.yml`): states in several languages, severities, labels."""

from __future__ import annotations

from functools import lru_cache

import re2

from bot.decide.word_tables import packaged_table

_TABLE: dict[str, list[str]] = packaged_table("alerts/words.yml")

FIRING, RESOLVED, ACKNOWLEDGED = (frozenset(_TABLE[name]) for name in ("firing", "resolved", "acknowledged"))
WEAK = frozenset(_TABLE["weak"])
"""State words that ordinary notices use, too."""
LEVELS = frozenset(_TABLE["levels"])
"""Weak state words that say how bad something is, also where nothing has failed."""
IGNORED = frozenset(_TABLE["ignored"])
"""Words beside a state word that change nothing."""
NOUNS = frozenset(_TABLE["nouns"])
"""State words for a problem, which beside a word of an end name what is over."""
SEVERITIES = frozenset(_TABLE["severities"])
IDENTITY = frozenset(_TABLE["identity"])
"""Labels that are part of an alert's identity."""
SERVICES = tuple(_TABLE["services"])
"""Labels that name a service, the best one first."""
ANNOTATIONS = frozenset(_TABLE["annotations"])
"""Names of the texts that describe an alert."""
NO_VALUES = frozenset(_TABLE["no_values"])
"""Values of labels that say nothing."""
BEFORE_VALUE, BEFORE_TIME, COUNTED = (frozenset(_TABLE[name]) for name in ("before_value", "before_time", "counted"))
"""Words beside a number that make it an amount or a time, not a part of the name."""
BEFORE_COUNT = BEFORE_VALUE | frozenset(_TABLE["before_count"])
_PARTS = FIRING | RESOLVED | ACKNOWLEDGED | IGNORED
_UNSPACED = re2.compile(r"^[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\x{30fc}]+$")
_LINKS = ("", "s", "-", "s-", "es", "n", "en")
"""Letters between the parts of a Germanic compound."""
_LONGEST_WORD, _SHORTEST_PART = 40, 4


@lru_cache(maxsize=4096)
def split_compound(word: str) -> tuple[str, ...]:
    """Return the known parts of a compound, such as 障害発生 or Störungsmeldung; the word itself if it is none."""
    if word in _PARTS or len(word) > _LONGEST_WORD:
        return (word,)
    return _split(word, _LINKS if not _UNSPACED.match(word) else ("",)) or (word,)


def _split(word: str, links: tuple[str, ...]) -> tuple[str, ...]:
    """Return parts that make up a whole word, the longest first; nothing if they do not."""
    for end in range(len(word), 0, -1):
        part, rest = word[:end], word[end:]
        if part not in _PARTS or (len(links) > 1 and len(part) < _SHORTEST_PART):
            continue
        if not rest:
            return (part,)
        for link in links:
            if rest.startswith(link) and (parts := _split(rest[len(link) :], links)):
                return (part, *parts)
    return ()
