"""JSON objects in a text of any kind: prose with braces, code fences, several objects, a cut one.

Each `{` may begin an object. A text is read at most twice, whatever it holds: a brace that stands outside of strings is
not tried again after the attempt that met it, since both would fail at the same place.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_NESTED = 100
"""Maximum depth of an object; forms are far flatter."""

_TOKEN = re.compile(
    r"""[ \t\r\n]*+(?:
    (?P<mark>[{}\[\],:])
    |(?P<string>"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+")
    |(?P<value>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)
    )""",
    re.VERBOSE,
)
_START = re.compile(r"""\{(?=[ \t\r\n]*+["}])""")
_VALUE = frozenset({"{", "[", "string", "value"})
_NEXT = {"{": frozenset({",", "}"}), "[": frozenset({",", "]"})}
"""Marks after a value, by the enclosing bracket."""
_FIRST = {"{": frozenset({"string", "}"}), "[": _VALUE | {"]"}}
"""What may follow an opening bracket."""
_ENDS, _KEY, _COLON = frozenset("}]"), frozenset({"string"}), frozenset({":"})


def find_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield each JSON object of `text` that is not part of another one, in order.

    Line breaks in strings are accepted, since models write them.
    """
    ends: dict[int, int] = {}
    met: set[int] = set()
    end = 0
    while start := _START.search(text, end):
        at = start.start()
        if at not in met:
            _read_object(text, at, ends, met)
        end = ends.get(at, at + 1)
        if at in ends and (value := _parse(text[at:end])) is not None:
            yield value


def _read_object(text: str, start: int, ends: dict[int, int], met: set[int]) -> None:
    """Read the object at `start` up to its end or its first fault; record the objects that it met, and their ends."""
    opened: list[int] = []
    position, expected, is_key = start, _VALUE, False
    while token := _TOKEN.match(text, position):
        position = token.end()
        kind = token["mark"] or token.lastgroup or ""
        if kind not in expected or len(opened) > MOST_NESTED:
            return
        if kind in _FIRST:
            opened.append(position - 1)
            expected, is_key = _FIRST[kind], kind == "{"
        elif kind in _ENDS:
            ends[opened.pop()] = position
            expected, is_key = (_NEXT[text[opened[-1]]] if opened else frozenset()), False
        elif kind == ",":
            is_key = text[opened[-1]] == "{"
            expected = _KEY if is_key else _VALUE
        elif kind == ":" or is_key:
            expected, is_key = (_VALUE if kind == ":" else _COLON), False
        else:
            expected = _NEXT[text[opened[-1]]]
        if kind == "{":
            met.add(position - 1)


def _parse(text: str) -> dict[str, Any] | None:
    """Return the object, or `None` if it has a number too long to read."""
    try:
        value: dict[str, Any] = json.loads(text, strict=False)
    except ValueError:
        return None
    return value
