"""Substance of an edit: whether an operator corrected a draft, or only worded it otherwise. Pure.

In doubt an edit is one of substance: it then counts as a false pass.
"""

from __future__ import annotations

import re
from collections import Counter

from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.decide.retrieval.function_words import FUNCTION_WORDS
from bot.decide.retrieval.stopwords import STOP
from bot.models.visible import clean

LARGEST_SHARE = 0.2
"""Share of the draft's content words that may be added or removed."""
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_MEASURE = re.compile(r"(\d[\d.,]*)\s*([^\W\d_]+|%)")


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DENIALS = _split_words("""
    no not never none nor neither without only except unless but however kein keine keinen keiner nicht nie ohne nur
    außer nunca sin solo sólo pas jamais sans ne aucun aucune seulement não sem apenas tidak bukan tanpa jangan hanya
    نه نیست بدون فقط
""")


def changes_substance(before: str, after: str) -> bool:
    """Return whether an edit changed a number, a path or a name of a draft, denied something else, or rewrote it."""
    before, after = clean(before), clean(after)
    if find_unsupported(after, "", (before,)) or find_unsupported(before, "", (after,)):
        return True
    if {*_MEASURE.findall(before.lower())} != {*_MEASURE.findall(after.lower())}:
        return True
    old, new = _count_words(before), _count_words(after)
    if any(old[word] != new[word] for word in _DENIALS):
        return True
    old, new = _content(old), _content(new)
    changed = (old - new).total() + (new - old).total()
    return changed > LARGEST_SHARE * old.total()


def _count_words(text: str) -> Counter[str]:
    """Count the words in lower case, with *not* apart from the verb."""
    plain = text.lower().replace("\u2019", "'").replace("cannot", "can not").replace("n't", " not")
    return Counter(_WORD.findall(plain))


def _content(words: Counter[str]) -> Counter[str]:
    return Counter({word: count for word, count in words.items() if word not in STOP | FUNCTION_WORDS})
