"""Labels of an alert, and the services, paths and names of code that it states. Pure, on re2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from bot.decide.alerts.notification import strip_markup
from bot.decide.alerts.states import read_headline
from bot.decide.alerts.words import ANNOTATIONS, IDENTITY, NO_VALUES, SERVICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bot.decide.alerts.notification import Notification

MOST_NAMES = 12
MOST_LABELS = 30
LONGEST = 120
MOST_WORDS = 1_500
"""Characters to search for."""
_PAIR = re2.compile(r"^[\s>\x{2022}-]*([^\s=:<>(){}\[\]][^=:<>(){}\[\]]*?)\s*[=:]\s*(\S.*)$")
_TAG = re2.compile(r"(?:^|[\s,{(])([a-z][a-z_.-]+):\s?`?([\w./@-]+)")
_SECTION = re2.compile(r"(?i)^\W*(labels|annotations|value|values|source|silence|dashboard|panel)\b\W*")
_PATH = re2.compile(
    r"(?:^|[\s\"'(`,:=\[])(/?(?:[\w.@-]+/)*[\w.-]+\.(?:py|pyi|jsx?|tsx?|mjs|go|rb|java|kts?|scala|rs|cc?|cpp|hpp?|cs|php"
    r"|swift|mm?|exs?|erl|clj|sql|ya?ml|json|toml|tf|sh|vue|proto|properties|conf|ini))(?::\d+|\b)"
)
_CODE = re2.compile(
    r"(?:^|[^\w/.-])((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|[A-Za-z]\w*_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+"
    r"|[A-Za-z_]\w*\(\))"
)
_QUOTED = re2.compile(r"`([A-Za-z_][\w.:/-]+)`")
_EMOJI_CODE = re2.compile(r":[a-z][a-z0-9_+'-]*:")
_HUMPS = re2.compile(r"([a-z])([A-Z])")
_FORM = re2.compile(
    r"(?i)^(?:first seen|state|short id|alert|project|notified|assigned to|urgency|started|runbook|the monitor was)\b"
)
_CULPRIT = re2.compile(r"\bin ([a-z_]\w+)\b\W*$")


def read_labels(notification: Notification) -> dict[str, str]:
    """Return the labels with one value in all of the message; those of several alerts with different values are left
    out."""
    values: dict[str, set[str]] = {}
    for name, value in (*_pairs(notification.lines), *_fields(notification)):
        if len(values) < MOST_LABELS or name in values:
            values.setdefault(name, set()).add(value)
    return {name: next(iter(found)) for name, found in values.items() if len(found) == 1}


def identity_values(labels: Mapping[str, str]) -> frozenset[str]:
    """Return the values of labels that are part of an alert's identity."""
    values = (value.lower() for name, value in labels.items() if name in IDENTITY)
    return frozenset(value for value in values if value not in NO_VALUES)


def find_services(labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the services that labels name."""
    return tuple(dict.fromkeys(labels[name] for name in SERVICES if name in labels))


def find_names(notification: Notification, title: str, labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return paths and names of code, paths first; values of labels are no names of code."""
    text = _EMOJI_CODE.sub(" ", "\n".join(notification.lines))
    names = [path for path in _PATH.findall(text) if path[:1] not in ".-"]
    names += _QUOTED.findall(text)
    for line in (title, *text.split("\n")):
        names += [name.removesuffix("()") for name in _CODE.findall(strip_markup(line))]
        names += _CULPRIT.findall(strip_markup(line))
    usable = (name.strip(".:/-") for name in names)
    values = set(labels.values())
    return tuple(dict.fromkeys(name for name in usable if _is_name(name) and name not in values))[:MOST_NAMES]


def find_words(notification: Notification, title: str, services: Iterable[str]) -> str:
    """Return the text to search for: the name as words, the services, and the lines that are no labels."""
    lines = (" ".join(line.split()) for line in map(strip_markup, notification.lines) if not _is_of_form(line))
    said = [line for line in lines if title.lower() not in line.lower()]
    name = _HUMPS.sub(r"\1 \2", title)
    return "\n".join(dict.fromkeys((name, *services, *map(_described, said))))[:MOST_WORDS].strip()


def _is_of_form(line: str) -> bool:
    """Return whether a line belongs to the form of an alert: its headline, a section's title, a label, a time."""
    plain = line.strip(" \t-\u2022>")
    if read_headline(plain).state != "unknown" or _SECTION.match(plain) or _FORM.match(plain):
        return True
    match = _PAIR.match(plain)
    if match is None or _name(match.group(1)) in ANNOTATIONS:
        return False
    return _name(match.group(1)) in IDENTITY or " = " in plain


def _described(line: str) -> str:
    """Return a line without the name of its annotation."""
    match = _PAIR.match(line)
    return match.group(2) if match and _name(match.group(1)) in ANNOTATIONS else line


def _is_name(name: str) -> bool:
    return 2 < len(name) <= LONGEST and name.lower() not in IDENTITY and not name.replace(".", "").isdigit()


def _pairs(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the labels of lines such as ` - service = shop` and `*Service:* shop`, but no annotations."""
    section = ""
    for line in lines:
        plain = strip_markup(line)
        if (match := _SECTION.match(plain)) and ("=" not in plain or plain.lstrip()[:1].isupper()):
            section = match.group(1).lower()
        if section == "annotations" and plain.lstrip().startswith("-"):
            continue
        yield from _line_pairs(plain)


def _line_pairs(line: str) -> Iterable[tuple[str, str]]:
    tags = [(_name(name), value) for name, value in _TAG.findall(line.lower() if ": " not in line else line)]
    known = [(name, value.strip("`., ")) for name, value in tags if name in IDENTITY]
    if len(known) > 1 or (match := _PAIR.match(line)) is None:
        return known
    name, value = _name(match.group(1)), match.group(2).partition("  ")[0].strip().strip("`")
    return [(name, value[:LONGEST])] if name in IDENTITY else known


def _fields(notification: Notification) -> Iterator[tuple[str, str]]:
    for name, value in notification.fields:
        if _name(name) in IDENTITY and value:
            yield _name(name), " ".join(value.split())[:LONGEST]


def _name(written: str) -> str:
    return written.strip().lower().replace(" ", "_").replace("-", "_")
