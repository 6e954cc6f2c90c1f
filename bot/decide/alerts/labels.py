"""Labels of an alert, and the services, paths and names of code that it states. Pure, on re2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from bot.decide.alerts.notification import strip_markup
from bot.decide.alerts.words import IDENTITY, NO_VALUES, SERVICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bot.decide.alerts.notification import Notification

MOST_NAMES = 12
MOST_LABELS = 30
LONGEST = 120
_PAIR = re2.compile(r"^[\s>\x{2022}-]*([^\s=:<>(){}\[\]][^=:<>(){}\[\]]*?)\s*[=:]\s*(\S.*)$")
_TAG = re2.compile(r"(?:^|[\s,{(])([a-z][a-z_.-]+):\s?`?([\w./@-]+)")
_SECTION = re2.compile(r"(?i)^\W*(labels|annotations|value|values|source|silence|dashboard|panel)\b\W*")
_PATH = re2.compile(
    r"(?:^|[\s\"'(`,:=\[])((?:[\w.@-]+/)*[\w.-]+\.(?:py|pyi|jsx?|tsx?|mjs|go|rb|java|kts?|scala|rs|cc?|cpp|hpp?|cs|php"
    r"|swift|mm?|exs?|erl|clj|sql|ya?ml|json|toml|tf|sh|vue|proto|properties|conf|ini))(?::\d+|\b)"
)
_CODE = re2.compile(
    r"(?:^|[^\w/.-])((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|[A-Za-z]\w*_\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+"
    r"|[A-Za-z_]\w*\(\))"
)
_QUOTED = re2.compile(r"`([A-Za-z_][\w.:/-]+)`")
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


def find_names(notification: Notification, title: str) -> tuple[str, ...]:
    """Return paths and names of code, paths first."""
    text = "\n".join(notification.lines)
    names = [path for path in _PATH.findall(text) if path[:1] not in ".-"]
    names += _QUOTED.findall(text)
    for line in (title, *notification.lines):
        names += [name.removesuffix("()") for name in _CODE.findall(strip_markup(line))]
        names += _CULPRIT.findall(strip_markup(line))
    usable = (name.strip(".:/-") for name in names)
    return tuple(dict.fromkeys(name for name in usable if _is_name(name)))[:MOST_NAMES]


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
    name, value = _name(match.group(1)), match.group(2).strip().strip("`")
    return [(name, value[:LONGEST])] if name in IDENTITY else known


def _fields(notification: Notification) -> Iterator[tuple[str, str]]:
    for name, value in notification.fields:
        if _name(name) in IDENTITY and value:
            yield _name(name), " ".join(value.split())[:LONGEST]


def _name(written: str) -> str:
    return written.strip().lower().replace(" ", "_").replace("-", "_")
