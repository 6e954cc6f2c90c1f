"""The schema of `--json` as docs/command-json.md gives it, and values held against it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-json.md"
_ROW = re.compile(r"\| `(\w+)` \| ([^|]+) \|")
_OBJECT = re.compile(r"\[[\w ]+\]\((#[\w-]+)\)")

PLAIN: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "true or false": lambda value: isinstance(value, bool),
    "time": lambda value: value.endswith("Z") and datetime.fromisoformat(value).tzinfo == UTC,
    "any value": lambda _: True,
}


def read_schema() -> dict[str, dict[str, str]]:
    """Return the types of fields by the name of a command, or of an object after `#`."""
    schema: dict[str, dict[str, str]] = {}
    for part in re.split(r"^##+ ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
        title, _, rows = part.partition("\n")
        fields = dict(_ROW.findall(rows))
        for name in re.findall("`(\\w+)`", title) or [f"#{title.strip().replace(' ', '-')}"]:
            schema[name] = fields
    return schema


def find_faults(name: str, value: Any, schema: dict[str, dict[str, str]], place: str = "") -> Iterator[str]:
    """Yield each field of a value that the page does not describe so."""
    fields = schema[name]
    if {*value} != {*fields}:
        yield f"{place or name} has {sorted({*value} ^ {*fields})} beside the page"
    for field in {*value} & {*fields}:
        yield from _check(fields[field], value[field], schema, f"{place or name}.{field}")


def _check(kind: str, value: Any, schema: dict[str, dict[str, str]], place: str) -> Iterator[str]:
    if kind.endswith(" or null"):
        if value is not None:
            yield from _check(kind.removesuffix(" or null"), value, schema, place)
    elif kind.startswith("list of "):
        for number, each in enumerate(value):
            yield from _check(kind.removeprefix("list of "), each, schema, f"{place}[{number}]")
    elif kind.endswith(" by name"):
        for name, each in value.items():
            yield from _check(kind.removesuffix(" by name"), each, schema, f"{place}.{name}")
    elif match := _OBJECT.fullmatch(kind):
        yield from find_faults(match[1], value, schema, place)
    elif not PLAIN[kind](value):
        yield f"{place} is no {kind}: {value!r}"
