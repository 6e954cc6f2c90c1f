"""Question similarity: detects repeated questions by common words and equal details that decide the answer. Pure.

Numbers, identifiers, code, links, environments, opposites, negations and the kind of question must match exactly, and
nearly all other words. One question may say more than the other, but not both: a replaced word makes another question,
however long both are. A question that refers outside its text, such as to a screenshot or to today, never matches.
`measure/alike.py` measures the threshold on the pairs in `tests/decide/alike_pairs.py`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from bot.decide.retrieval.search_text import MAX_CHARS
from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import STOP, WEAK

NEAR = 0.8
"""Minimum share of common words, by weight."""
_IN_ORDER = 0.6
"""Minimum share of the common words that are in the same order."""
_FEWEST = 1.7
"""Minimum weight of a question's words to recognise it in other words."""
_WEAK = 0.35
"""Weight of a word that nearly every question contains, as in a search."""


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NOT = _split_words("""
    not no never none neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt
    couldnt hasnt havent hadnt except unless nicht kein keine keinen nie ohne pas jamais sans nunca sin não sem не нет
    без никогда tidak bukan tanpa
""")
KINDS = _split_words("""
    how why where when who whom which what whose often long many much wie warum wo wann wer comment pourquoi où quand
    cómo como porqué dónde cuándo как почему где когда bagaimana gimana kenapa mengapa dimana kapan siapa
""")
_ENVIRONMENTS = {
    word: group
    for group in (
        "prod production live",
        "staging stage",
        "dev development",
        "test testing",
        "qa uat",
        "preview canary",
    )
    for word in group.split()
}
_OPPOSITES = _split_words("""
    enable disable enabled disabled on off start stop before after up down min max minimum maximum add remove allow deny
    increase decrease raise lower read write client server in out input output first last new old open close create
    delete upload download import export install uninstall always sometimes only public
    private internal external upgrade downgrade push pull encrypt decrypt lock unlock local remote left right earliest
    latest least most over under
""")
_COUNTS = dict(
    pair.split("=")
    for pair in _split_words("""
    two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 dozen=12 hundred=100
    thousand=1000 million=1000000 once=1x twice=2x half=1/2
    """)
)
"""Numbers written as words."""
_POINTING = _split_words("""
    this these above below here today now currently tonight tomorrow yesterday screenshot attached following morning
    evening afternoon recently anymore
""")
_LEADING = _split_words("from into than before after without instead until via over")
"""Words after which the next word must match, so that *from A to B* is not *from B to A*."""

_LINK = re.compile(r"https?://[^\s>|]+|<#[A-Z0-9]+|\bproject:\S+", re.IGNORECASE)
_ENDLESS = re.compile(r"\S{120,}")
"""Text that nobody typed, compared as a whole; this also keeps the patterns below fast."""
_CODE = re.compile(r"`([^`]+)`|\"([^\"\n]+)\"")
_NUMBER = re.compile(r"(?<!\w)\w*\d[\w.,:-]*")
_IDENTIFIER = re.compile(r"(?<!\w)\w*_\w+|--?[a-z][\w-]+|(?<![\w-])[\w-]+(?:[./][\w-]+)+")
_NOISE = re.compile(r"<[@!][^<>]*>")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_EXACTLY = _OPPOSITES | KINDS | _ENVIRONMENTS.keys()
_NAME = re.compile(r"\b(?:\w*[a-z0-9][A-Z]\w*|[A-Z]{2,}\b)")
"""Names such as `MySQL`, `retryLimit`, `CSV`: the other question may spell them differently, but must contain them."""
_TOKEN = re.compile(r"[\w`](?:[./:+-]*+[\w`])+|\w")
"""Tokens of an edit: words, including ones joined by punctuation."""
_EXACT_TOKEN = re.compile(r"[\d_`./:+]|--")
_TELLING = _EXACTLY | _NOT | _COUNTS.keys() | _LEADING
_MOST_COMPARED = 600
"""Maximum number of words in two texts for comparing edits; in longer texts every word must be equal."""
_LONGEST_TYPED = 64
"""Maximum length of a word that may be misspelt."""
_TYPED = 4
"""Minimum length of a word that may be a misspelling of another."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class _ComparedQuestion:
    exact: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]
    weights: dict[str, float]
    """Weights of the stems, in the order of the text."""


def is_similar(question: str, other: str) -> bool:
    """Return whether an answer to one of the questions answers the other, as far as their words tell."""
    return compute_similarity(question, other) >= NEAR


def compute_similarity(question: str, other: str) -> float:
    """Compute the similarity of two questions, from 0 to 1; 0 if a detail differs that decides the answer."""
    first, second = _read(question), _read(other)
    if first is None or second is None or first.exact != second.exact:
        return 0.0
    if not (first.names <= second.words and second.names <= first.words):
        return 0.0
    common = [key for key in first.weights if key in second.weights]
    common_in_second = [key for key in second.weights if key in first.weights]
    blocks = SequenceMatcher(None, common, common_in_second, autojunk=False).get_matching_blocks()
    if sum(block.size for block in blocks) < _IN_ORDER * len(common):
        return 0.0
    whole = first.weights | second.weights
    if _says_more(first, second) and _says_more(second, first):
        return 0.0
    return sum(first.weights[key] for key in common) / sum(whole.values())


def is_reworded(before: str, after: str) -> bool:
    """Return whether an edit keeps a question the same: similar, or apart from typos, case, punctuation and function
    words."""
    if is_similar(before, after):
        return True
    old, new = (_TOKEN.findall(unicodedata.normalize("NFKC", text[:MAX_CHARS])[:MAX_CHARS]) for text in (before, after))
    if len(old) + len(new) > _MOST_COMPARED:
        return [word.lower() for word in old] == [word.lower() for word in new]
    plain_old, plain_new = [word.lower() for word in old], [word.lower() for word in new]
    for what, start, end, first, last in SequenceMatcher(None, plain_old, plain_new, autojunk=False).get_opcodes():
        removed, added = plain_old[start:end], plain_new[first:last]
        if what == "equal" or "".join(removed) == "".join(added):
            continue
        if len(removed) == len(added):
            if not all(map(_is_typo, removed, added)):
                return False
        elif not all(word in STOP and word not in _TELLING for word in (*removed, *added)):
            return False
    return True


def _is_typo(word: str, other: str) -> bool:
    """Return whether two words differ by a typo, or are function words; numbers, names and informative words never
    do."""
    if _EXACT_TOKEN.search(word + other) or _UNSPACED.search(word + other) or (word in _TELLING and other in _TELLING):
        return False
    if word in STOP and other in STOP:
        return word not in _TELLING and other not in _TELLING
    if max(len(word), len(other)) > _LONGEST_TYPED:
        return False
    near = SequenceMatcher(None, word, other, autojunk=False).ratio()
    return stem(word) == stem(other) or (min(len(word), len(other)) >= _TYPED and near >= NEAR)


def _says_more(question: _ComparedQuestion, other: _ComparedQuestion) -> bool:
    """Return whether a question has an informative word that the other lacks."""
    return any(weight > _WEAK for key, weight in question.weights.items() if key not in other.weights)


@lru_cache(maxsize=4_096)
def _read(question: str) -> _ComparedQuestion | None:
    """Extract the comparable parts of a question; `None` if it says too little, or refers outside its text."""
    text = unicodedata.normalize("NFKC", question[:MAX_CHARS])[:MAX_CHARS]
    exact = {token.lower() for pattern in (_LINK, _ENDLESS) for token in pattern.findall(text)}
    text = _NOISE.sub(" ", _ENDLESS.sub(" ", _LINK.sub(" ", text)))
    exact |= {(code or quoted).strip() for code, quoted in _CODE.findall(text)}
    exact |= {token.rstrip(".,:-").lower() for pattern in (_NUMBER, _IDENTIFIER) for token in pattern.findall(text)}
    words = [word.lower().replace("'", "").replace("\u2019", "") for word in _WORD.findall(text)]
    if not _POINTING.isdisjoint(words):
        return None
    exact.add(f"not {sum(word in _NOT for word in words)}")
    exact |= {_ENVIRONMENTS.get(word, word) for word in words if word in _EXACTLY}
    exact |= {_COUNTS[word] for word in words if word in _COUNTS}
    telling = [word for word in words if word not in STOP or word in _LEADING]
    exact |= {f"{word} {stem(after)}" for word, after in pairwise(telling) if word in _LEADING}
    weights = {stem(word): _weight(word) for word in telling if word not in _LEADING}
    weight = sum(weights.values())
    if weight < 1 or (weight < _FEWEST and KINDS.isdisjoint(words)):
        return None
    if weight < _FEWEST:
        exact.add(" ".join(words))
    names = frozenset(name.lower() for name in _NAME.findall(text))
    return _ComparedQuestion(frozenset(exact), names, frozenset((*words, *text.lower().split())), weights)


def _weight(word: str) -> float:
    if word in WEAK:
        return _WEAK
    return len(word) / 3 if _UNSPACED.search(word) else 1.0
