"""Identity of an alert: its name without amounts and times of measurement, and its labels. Pure, on re2."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import re2

from bot.decide.alerts.words import BEFORE_COUNT, BEFORE_TIME, BEFORE_VALUE, COUNTED, IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.alert import Alert

_TIMESTAMP = re2.compile(
    r"(?i)\b\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?(?:z|utc|gmt|[+-]\d{2}:?\d{2})\b)?"
)
_UNIT = (
    r"%|\x{066a}|ns|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|bytes?|[kmgt]i?b(?:/s|ps)?|rps|qps|req/s"
    r"|times|x|sekunden?|minuten?|stunden?|tagen?|segundos?|minutos?|horas?|días?|secondes?|heures?|jours?"
)
_NUMBER = r"[-+]?\p{Nd}+(?:[.,]\p{Nd}+)?(?:,\p{Nd}{3})*"
_PLAIN_NUMBER = re2.compile(rf"^{_NUMBER}$")
_AMOUNT = re2.compile(rf"(?i)^(?:{_NUMBER}(?:{_UNIT}))+$")
_UNIT_WORD = re2.compile(rf"(?i)^(?:{_UNIT})$")
_CLOCK = re2.compile(r"(?i)^\d{1,2}:\d{2}(?::\d{2})?(?:am|pm)?$")
_SIGN = re2.compile(r"^(.*?)(?:[<>=\x{2264}\x{2265}]+)(.*)$")
_NOISE = re2.compile(r"[^\pL\pN_./@:+-]+")
_PAREN = re2.compile(r"^(.*?)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$")
_EMOJI_CODES = re2.compile(r"^(?::[a-z0-9_+'-]*[a-z][a-z0-9_+'-]*:)+")


def split_values(title: str) -> tuple[str, str]:
    """Return a title without the values in brackets at its end, and these values."""
    match = _PAREN.match(title)
    return (match.group(1), match.group(2)) if match else (title, "")


def normalise_name(title: str) -> str:
    """Return a title without emoji, amounts and times of measurement, in lower case.

    A number stays unless it clearly is an amount: it may be the address or the number of what the alert is about.
    """
    text = _TIMESTAMP.sub(" ", title).lower()
    tokens = [token for each in text.split() if (token := _EMOJI_CODES.sub("", each))]
    kept: list[str] = []
    position = 0
    while position < len(tokens):
        taken = _count_volatile(tokens, position)
        if not taken:
            kept.append(_without_value(tokens[position]))
        position += taken or 1
    words = (word.strip(".:-/") for word in _NOISE.sub(" ", " ".join(kept)).split())
    return " ".join(word for word in words if word)


def _count_volatile(tokens: Sequence[str], position: int) -> int:
    """Return the number of words from this one on that are an amount or a time of measurement; 0 for a name."""
    token = tokens[position].strip("()[]{}<>=\u2264\u2265,;!?").rstrip(".:")
    before = tokens[position - 1].strip(",:;(") if position else ""
    if _AMOUNT.match(token) or (_CLOCK.match(token) and before in BEFORE_TIME):
        return 1
    if not _PLAIN_NUMBER.match(token):
        return 0
    following = [each.strip("()[],;.!?:") for each in tokens[position + 1 : position + 3]]
    if following and _UNIT_WORD.match(following[0]) and following != ["times", "out"]:
        return 2
    if before in BEFORE_VALUE or tokens[position][0] in "<>\u2264\u2265":
        return 1
    sign = _SIGN.match(before) if before else None
    if sign and not sign.group(2) and (sign.group(1) or _word_before(tokens, position - 1)) not in IDENTITY:
        return 1
    is_led_to = not before or before in BEFORE_COUNT or tokens[position - 1].endswith((",", ":", "("))
    return 1 if following and following[0] in COUNTED and is_led_to else 0


def _word_before(tokens: Sequence[str], position: int) -> str:
    return tokens[position - 1].strip(",:;(") if position else ""


def _without_value(token: str) -> str:
    """Return a label without its number, as in `cpu=97`; a label that tells alerts apart keeps its number."""
    match = _SIGN.match(token)
    if match is None or match.group(1) in IDENTITY:
        return token
    value = match.group(2).strip("()[],;.!?:")
    return match.group(1) if _PLAIN_NUMBER.match(value) or _AMOUNT.match(value) else token


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
    those of the other. Where an ordinary notice has the form of an alert, too, the titles must be equal unless
    its state is marked.
    """
    if not (known.fingerprint and new.fingerprint):
        return False
    is_guess = any(
        each.is_weak and not each.is_marked for each in (known, new) if each is known or new.state == "firing"
    )
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
    return same[0][0] if len({name for name, _ in same}) == 1 else None
