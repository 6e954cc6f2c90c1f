"""Quantities: the kind that a question asks for, and checks if a name or value is of it: a time, a size, a count."""

from __future__ import annotations

import re
from typing import Literal

Quantity = Literal["", "time", "size", "count", "pace", "moment"]
"""Kind of quantity: none, duration, size, count, frequency; `moment` may be a time or a condition."""

_QUESTION_PATTERNS: tuple[tuple[Quantity, str], ...] = (
    (
        "time",
        r"\bhow (?:long|soon|old|late|quick(?:ly)?|fast)\b|\b(?:seconds|minutes|hours|milliseconds)\b"
        r"|\bafter (?:what|how much|which) time\b|\b(?:timeout|ttl|delay|interval)\b"
        r"|\bwie lange\b|\bcombien de temps\b",
    ),
    ("moment", r"\b(?:when|wann|quand|cu[aá]ndo|quando)\b"),
    ("pace", r"\bhow (?:often|frequent(?:ly)?)\b|\bwie oft\b"),
    ("count", r"\bhow many\b|\bnumber of\b|\bwie viele\b|\bcu[aá]nt[oa]s\b|\bquant[oa]s\b"),
    ("size", r"\bhow (?:large|big|much|long a|wide|high)\b|\b(?:bytes|kilobytes|megabytes|size)\b|\bwie gro(?:ß|ss)\b"),
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TIMES = _words("""
    timeout timeouts ttl interval delay duration time wait period expiry expires expire expiration lifetime
    age seconds second secs sec ms millis milliseconds minutes hours days backoff pause sleep deadline
    retention linger grace cooldown window jitter lifespan idle alive
""")
_SIZES = _words("""
    size bytes byte length len limit max maximum kb mb kib mib buffer buf capacity threshold large
""")
_COUNTS = _words("""
    max maximum min minimum limit count counts num number total size capacity retries attempts times quota
    threshold n concurrency
""")
_PACES = _TIMES | _words("""
    frequency every rate hz retries attempts count times max limit
""")
_THINGS = _words("buf buffer idle alive n num number")
"""Words that name a thing or a state, or announce a number, but not a quantity."""
_TIMED = re.compile(
    r"time\.|duration|timespan|timedelta|from_(?:secs|millis)|(?:seconds|minutes|hours|days|millis)\b"
    r"|[\"'(\s]\d+(?:\.\d+)?(?:ms|s|m|h|d)\b|^\d+(?:ms|s|m|h|d)\b",
    re.IGNORECASE,
)
_SIZED = re.compile(r"\b1024\b|<<|\d(?:kb?|mb?|gb?|kib|mib)\b|\*\*\s*\d|\bbytes\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d")


def quantity(text: str) -> Quantity:
    """Return the first kind of quantity that a question asks for; empty for none."""
    matches = [
        (match.start(), kind) for kind, words in _QUESTION_PATTERNS if (match := re.search(words, text, re.IGNORECASE))
    ]
    clear = [candidate for candidate in matches if candidate[1] != "moment"]
    return min(clear or matches)[1] if matches else ""


def names_quantity(kind: Quantity, words: frozenset[str]) -> bool:
    """Return whether a word of a name indicates this kind of quantity."""
    quantity_words = {"time": _TIMES, "moment": _TIMES, "size": _SIZES, "count": _COUNTS, "pace": _PACES}.get(
        kind, frozenset[str]()
    )
    return bool(words & quantity_words)


def measures(kind: Quantity, words: frozenset[str]) -> bool:
    """Return whether a word of a name is a term for this kind of quantity, regardless of its subject."""
    return names_quantity(kind, words - _THINGS)


def suits(kind: Quantity, words: frozenset[str], value: str) -> float:
    """Return the fit of a definition to the requested kind of quantity: above 1 if it fits, below 1 if unlikely."""
    if not kind:
        return 1.0
    timed = bool(words & (_TIMES - {"alive", "idle"}) or _TIMED.search(value))
    sized = bool(_SIZED.search(value))
    holds = bool(_NUMBER.search(value))
    if kind == "moment":
        return 1.25 if timed and holds else 0.85 if sized else 1.0
    if kind in ("time", "pace"):
        fits, other = timed or (kind == "pace" and bool(words & _PACES)), sized
    elif kind == "size":
        fits, other = sized or bool(words & _SIZES), timed
    else:
        fits, other = bool(words & _COUNTS), timed
    if other and not (fits and kind == "pace"):
        return 0.45
    if fits:
        return 1.3 if holds else 0.8
    return 1.0 if kind == "count" else 0.6
