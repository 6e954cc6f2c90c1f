"""Substance of an edit: whether an operator corrected a draft, or only worded it otherwise. Pure.

In doubt an edit is one of substance: it then counts as a false pass. Greetings, function words and endings may change,
and a little may be added; a word that was taken out or replaced may have been the mistake.
"""

from __future__ import annotations

import re
from collections import Counter

from bot.decide.grounding.unsupported_claims import find_unsupported
from bot.decide.retrieval.function_words import FUNCTION_WORDS
from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import STOP
from bot.models.visible import clean

LARGEST_SHARE = 0.2
"""Content words that may be added, as a share of the draft's."""
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_MEASURE = re.compile(r"(?<![\d.,])(\d[\d.,]*+)\s*+([^\W\d_]+|%)")


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DENIALS = _split_words("""
    no not never none nor neither without only except unless but however kein keine keinen keiner nicht nie ohne nur
    außer nunca sin solo sólo pas jamais sans ne aucun aucune seulement não sem apenas tidak bukan tanpa jangan hanya
    نه نیست بدون فقط
""")
_ORDERING = _split_words("""
    above across after against all always another any before behind below between both during each either every few
    first from into last less many more most much next once onto other out over rather same several since some
    sometimes still through till to under until up usually whole vor nach über unter antes después avant après sebelum
    sesudah
""")
"""Function words that say when, where or how much, and so belong to the substance."""
_PLAIN = (STOP | FUNCTION_WORDS) - _ORDERING - _DENIALS


def changes_substance(before: str, after: str) -> bool:
    """Return whether an edit changed a value or a word of a draft, denied something else, or added much."""
    before, after = clean(before), clean(after)
    if find_unsupported(after, "", (before,)) or find_unsupported(before, "", (after,)):
        return True
    if {*_MEASURE.findall(before.lower())} != {*_MEASURE.findall(after.lower())}:
        return True
    old, new = _count_words(before), _count_words(after)
    if any(old[word] != new[word] for word in _DENIALS):
        return True
    old, new = _content(old), _content(new)
    return bool(old - new) or (new - old).total() > LARGEST_SHARE * old.total()


def _count_words(text: str) -> Counter[str]:
    """Count the words in lower case, with *not* apart from the verb."""
    plain = text.lower().replace("\u2019", "'").replace("cannot", "can not").replace("n't", " not")
    return Counter(_WORD.findall(plain))


def _content(words: Counter[str]) -> Counter[str]:
    content: Counter[str] = Counter()
    for word, count in words.items():
        if word not in _PLAIN:
            content[stem(word)] += count
    return content
