"""Identity of an alert: its name without counts, times and values, and its labels. Pure, on re2."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import re2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.alert import Alert

_VOLATILE = re2.compile(
    r"(?i)\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?)?"
    r"|\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?(?:\s?(?:utc|gmt|cet|cest))?\b"
    r"|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b"
    r"|(?:[<>=\x{2264}\x{2265}]+\s*)?(?:^|[\s(<>=:\x{2264}\x{2265}])[-+]?\d+(?:[.,]\d+)*\s?"
    r"(?:%|(?:ms|us|ns|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?|d|days?|kb|mb|gb|tb|kib|mib|gib|tib|bytes?"
    r"|rps|qps|req/s|times|x)\b)"
    r"|\b\d+\.\d+\b"
    r"|#\d+\b"
)
_COUNTING = re2.compile(
    r"(?i)(\b(?:shard|partition|node|queue|pod|zone|region|disk|port|replica|worker|status|code|http|tier|cluster|core|rack"
    r"|db|host|server|tenant|channel|stage|step|level|version|error)[ #:=-]+\d+\b)"
    r"|(^|[\s(<>=:,])[<>=]*\d+(?:,\d{3})*(?:$|[\s):,;.!?])"
)
_NOISE = re2.compile(r"[^\pL\pN_./@:+-]+")
_PAREN = re2.compile(r"^(.*?)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$")
_EMOJI_CODE = re2.compile(r":[a-z0-9_+'-]*[a-z][a-z0-9_+'-]*:")


def split_values(title: str) -> tuple[str, str]:
    """Return a title without the values in brackets at its end, and these values."""
    match = _PAREN.match(title)
    return (match.group(1), match.group(2)) if match else (title, "")


def normalise_name(title: str) -> str:
    """Return a title without counts, times, durations, values and emoji, in lower case."""
    text = _VOLATILE.sub(" ", _EMOJI_CODE.sub(" ", title))
    for _ in range(2):  # two values may share the blank between them
        text = _COUNTING.sub(lambda match: match.group(1) or " ", text)
    words = (word.strip(".:-/") for word in _NOISE.sub(" ", text).lower().split())
    return " ".join(word for word in words if word)


def digest(*parts: str) -> str:
    """Return a short digest of these parts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def values_of(text: str, *, is_default: bool) -> frozenset[str]:
    """Return the values in the brackets of a title; those of other forms without counts and amounts."""
    plain = text if is_default else normalise_name(text)
    return frozenset(word.strip(",").lower() for word in plain.split() if word.strip(","))


def is_same_alert(known: Alert, new: Alert) -> bool:
    """Return whether two notifications are of one alert.

    Those of a group of alerts show only the labels that its alerts share at that time: the labels of one must contain
    those of the other. Where an ordinary notice has the form of an alert, too, the titles must be equal.
    """
    if not (known.fingerprint and new.fingerprint):
        return False
    is_guess = known.is_weak or (new.is_weak and new.state == "firing")
    if is_guess and known.title.casefold() != new.title.casefold():
        return False
    if known.is_exact or new.is_exact:
        return known.fingerprint == new.fingerprint
    if known.group != new.group or (known.host and new.host and known.host != new.host):
        return False
    if known.source != new.source and "other" not in (known.source, new.source):
        return False
    first, second = frozenset(known.values), frozenset(new.values)
    if first <= second or second <= first:
        return True
    first, second = _normalise_values(first), _normalise_values(second)
    return known.is_literal != new.is_literal and (first <= second or second <= first)


def _normalise_values(values: Iterable[str]) -> frozenset[str]:
    """Return the words of values, as those of a headline without a count are: a text from Alertmanager may end so."""
    return frozenset(word for value in values for word in normalise_name(value).split())


def find_same(known: Iterable[tuple[str, Alert]], new: Alert) -> str | None:
    """Return the name of the alert among these that a notification is of; `None` if none or several may be."""
    same = [(name, alert) for name, alert in known if is_same_alert(alert, new)]
    equal = [name for name, alert in same if alert.fingerprint == new.fingerprint]
    if equal:
        return equal[-1]
    return same[0][0] if len(same) == 1 else None
