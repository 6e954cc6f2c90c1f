"""Bare ids in a text: of people, groups, channels, direct messages and threads.

A word counts as an id by its form, or because its name is known; anything that merely looks like one stays a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.markup import unnamed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DIRECT, WORKSPACE = "a direct message", "this workspace"
_EDGE, _END = r"(?<![\w/.:=&-])", r"(?![\w]|-\w|[./]\w)"
_THREAD = re.compile(
    rf"{_EDGE}(?:T[A-Z0-9]{{3,}}-)?(?P<channel>[CDG][A-Z0-9]{{3,}})-(?P<seconds>1\d{{9}})[.-](?P<rest>\d{{6}}){_END}"
)
_WORD = re.compile(rf"{_EDGE}[@#]?(?P<target>[UWCDGST](?=[A-Z0-9]*\d)[A-Z0-9]{{3,}}){_END}")
_LONG = re.compile(r"(?=.\d|.*\d[A-Z]+\d)(?:[UWCDB][A-Z0-9]{8}|[UWCDB][A-Z0-9]{10}|[GST]0[A-Z0-9]{7,9})")
"""The form of Slack's ids."""
_SHORT = re.compile(r"[UWCDGST]0(?=[A-Z0-9]*[G-Z])[A-Z][A-Z0-9]{1,6}")
"""The form of a local workspace's ids; a hexadecimal number does not match."""


@dataclass(frozen=True)
class BareId:
    """An id and its position in a text. For a thread, `ts` is its timestamp and `target` its channel."""

    start: int
    end: int
    target: str
    ts: str = ""


def bare_ids(text: str, names: Mapping[str, str]) -> Iterator[BareId]:
    """Yield the ids in a text without code, in order; `names` are the ids whose names are known."""
    threads = [
        BareId(match.start(), match.end(), match["channel"], f"{match['seconds']}.{match['rest']}")
        for match in _THREAD.finditer(text)
    ]
    words = [
        BareId(match.start(), match.end(), target)
        for match in _WORD.finditer(text)
        if (target := match["target"]) in names or _LONG.fullmatch(target) or _SHORT.fullmatch(target)
    ]
    return iter(sorted((*threads, *words), key=lambda match: match.start))


def candidates(text: str) -> set[str]:
    """Return the words that may be ids of people or channels, to look their names up."""
    words = {match["target"] for match in _WORD.finditer(text)} | {match["channel"] for match in _THREAD.finditer(text)}
    return {word for word in words if word[0] in "UWC"}


def format_id(target: str, names: Mapping[str, str]) -> str:
    """Return the text shown in place of an id: its name, else a description such as "someone"."""
    match target[0]:
        case "D":
            return DIRECT
        case "T":
            return WORKSPACE
        case _:
            sigil = "#" if target[0] in "CG" else "@"
            return f"{sigil}{names[target]}" if names.get(target) else _format_unnamed(sigil, target)


def _format_unnamed(sigil: str, target: str) -> str:
    return unnamed(sigil, target).replace("-", " ")
