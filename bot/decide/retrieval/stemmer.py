"""Stemmer for words and identifiers: `retries`, `retryCount` and `RETRY` share `retry`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.decide.slug import latin

if TYPE_CHECKING:
    from collections.abc import Callable

LETTERS = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
"""Latin letters beyond ASCII as a character class: with accents, and others such as \u00df."""


def _letters_of_case(of_case: Callable[[str], bool]) -> str:
    """Return the letters of `LETTERS` of one case."""
    return "".join(filter(of_case, map(chr, (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)))))


UPPER = f"A-Z{_letters_of_case(str.isupper)}"
LOWER = f"a-z{_letters_of_case(str.islower)}"
_ASCII_PIECE = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_PIECE = re.compile(rf"[{UPPER}]+(?![{LOWER}])[0-9]*|[{UPPER}]?[{LOWER}]+[0-9]*|[0-9]+|[^\W_{UPPER}{LOWER}0-9]+")
_LATIN = re.compile(rf"[A-Za-z0-9{LETTERS}]+")
_UMLAUTS = str.maketrans({"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue"})
_VOWEL = re.compile(r"[aeiouy]")
_ES = ("ses", "xes", "zes", "ches", "shes")


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UNCUT = _split_words("""
    access address alias always analysis analyses as axis basis bias bus bytes canvas class css cross dns express
    focus gas has is its kubernetes less loss miss news pass perhaps plus postgres previous process progress redis
    series status success this thus tls us various was yes https aws sms
    anything bring during everything evening heading king morning nothing ping ring setting sing something spring
    string swing thing wing padding rating being
    bed bleed breed embed exceed feed hundred indeed need proceed red seed shed shred sled speed succeed weed
    exception function million mission nation option permission position question session station version region
    reply apply supply only early daily family july assembly anomaly
""")
"""Words whose ending is not a suffix."""

_IRREGULAR = {
    "ran": "run", "sent": "send", "kept": "keep", "held": "hold", "lost": "lose", "built": "build",
    "chose": "choose", "chosen": "choose", "written": "write", "wrote": "write", "thrown": "throw",
    "threw": "throw", "hidden": "hide", "hid": "hide", "broke": "break", "broken": "break", "caught": "catch",
    "bound": "bind", "found": "find", "given": "give", "gave": "give", "drawn": "draw", "driven": "drive",
    "frozen": "freeze", "froze": "freeze", "read": "read", "shown": "show", "split": "split", "spent": "spend",
    "stolen": "steal", "taken": "take", "took": "take", "stuck": "stick", "woken": "wake", "woke": "wake",
    "indices": "index", "indexes": "index", "statuses": "status", "aliases": "alias", "processes": "process",
    "processing": "process", "processed": "process", "processor": "processor", "classes": "class",
    "accesses": "access", "addresses": "address", "settings": "setting", "queries": "query",
    "analyses": "analysis", "dying": "die", "died": "die", "tied": "tie", "lied": "lie", "children": "child",
    "caches": "cache", "cached": "cache", "headings": "heading", "sessions": "session", "exceptions": "exception",
    "functions": "function", "options": "option", "versions": "version", "permissions": "permission",
    "positions": "position", "questions": "question", "strings": "string", "regions": "region",
    "ids": "id", "ips": "ip", "urls": "url", "uris": "uri", "uses": "use", "used": "use", "using": "use",
    "missed": "miss", "misses": "miss", "missing": "miss", "passed": "pass", "passes": "pass", "passing": "pass",
    "crossed": "cross", "replies": "reply", "embedded": "embed", "embedding": "embed", "ratings": "rating",
}  # fmt: skip
"""Irregular forms."""


def pieces(identifier: str) -> list[str]:
    """Split an identifier into lower-case words: `HTTPConnection_pool2` gives `http`, `connection`, `pool2`."""
    parts = (_ASCII_PIECE if identifier.isascii() else _PIECE).findall(identifier)
    return [piece.lower().replace("\u0307", "") for piece in parts]  # the combining dot of a lower-cased dotted I


def unaccented(word: str) -> tuple[str, ...]:
    """Return the ASCII spellings of a word with accents, in lower case: `grosse` and `groesse`; empty without
    accents."""
    if word.isascii() or not _LATIN.fullmatch(word):
        return ()
    spelt = (latin(word), latin(word.translate(_UMLAUTS)))
    return tuple(dict.fromkeys(each for each in spelt if each.isascii()))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; suffixes are removed lightly, since code uses few forms."""
    if word in _IRREGULAR:
        return _normalise_end(_IRREGULAR[word])
    if len(word) <= 3 or word in _UNCUT or not word.isascii():
        if not word.isascii() and len(word) > 4 and _LATIN.fullmatch(word):
            return word.removesuffix("s")
        return _normalise_end(word) if word.isascii() else word
    word = _strip_plural(word)
    word = _verb(word)
    if word.endswith("ically"):
        word = word[:-4]
    elif word.endswith("ly") and len(word) > 5 and word not in _UNCUT:
        word = word[:-2]
    if word.endswith("ion") and len(word) > 6 and word[-4] in "ts" and word not in _UNCUT:
        word = word[:-3]
    return _normalise_end(word)


def beginning(stemmed: str) -> str:
    """Return the prefix that all forms of a stem share, for a search."""
    return stemmed[:-1] if len(stemmed) > 3 and stemmed[-1] in "yi" and stemmed.isascii() else stemmed


def irregular_forms(stemmed: str) -> tuple[str, ...]:
    """Return the forms of a stem that do not begin with it, such as `sent` for `send`."""
    start = beginning(stemmed)
    return tuple(f for f, base in _IRREGULAR.items() if _normalise_end(base) == stemmed and not f.startswith(start))


def _strip_plural(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_ES):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _verb(word: str) -> str:
    if word in _UNCUT:
        return word
    for ending, least in (("ing", 3), ("ed", 3)):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= least and _VOWEL.search(rest) and not rest.endswith("e"):
            if rest[-1] == rest[-2] and rest[-1] not in "lsz":
                return rest[:-1]
            return rest
    return word


def _normalise_end(word: str) -> str:
    """Normalise the last letters: `handle` and `handl(ing)`, `install` and `instal`."""
    if len(word) > 5 and word.endswith("ll"):
        return word[:-1]
    if len(word) > 3 and word.endswith("e") and word.isascii():
        return word[:-1]
    return word
