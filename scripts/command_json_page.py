"""Generator of docs/command-json.md from the models of commands' data; `--check` only compares."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AwareDatetime

from bot.commands.catalogue import CATALOGUE
from bot.models.fact import Fact
from scripts.field_docs import read_field_docs
from scripts.written_page import write_page

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "command-json.md"

_HEAD = """\
# Answers as JSON

`triage command NAME --json` prints one object:

| field | type | content |
|---|---|---|
| `command` | text | name of the command, also where an alias was typed; without an answer, as typed |
| `outcome` | text | an outcome of the table below |
| `line` | text | first line of the answer in Slack, as plain text |
| `rows` | list of text | further lines; an item may have several |
| `data` | object or null | the figures below, of a command that reads; null if it was not done |
| `typed_again` | text or null | name that `--confirm` needs, if `outcome` is `asked` |

| outcome | meaning | [exit code](commands.md#in-a-terminal) |
|---|---|---|
| `done` | done | 0 |
| `unknown`, `invalid` | the name, the words or the state did not allow it | 1 |
| `failed` | it was tried and failed | 1 |
| `refused` | this person may not do it, or the name that confirms it was wrong | 4 |
| `asked` | not done yet: it waits for a confirmation | 5 |
| `unclear` | the bot gave no answer in time, and may have done it | 6 |
| `not_running` | no bot runs on this home, or it cannot be reached | 3 |

In `data` numbers are numbers, times are ISO 8601 in UTC, whole seconds (`2026-07-01T08:00:00Z`), people, channels and
threads are
Slack's ids, and texts are plain and without secrets. Fields may be added; none is renamed or removed without a line in
the [changelog](../CHANGELOG.md). A command that is not listed has no `data`.
"""

_TAIL = """
This page is written by `scripts/command_json_page.py`.
"""

_TYPES: dict[Any, str] = {str: "text", int: "integer", float: "number", bool: "true or false", AwareDatetime: "time"}


Rows = dict[str, tuple[str, str]]
"""Type and content of each field of a model."""


def list_fields(model: type[Fact]) -> Rows:
    """Return the fields of a model."""
    about = {name: _for_json(text) for name, text in read_field_docs(model).items()}
    return {name: (_describe_type(info.annotation), about.get(name, "")) for name, info in model.model_fields.items()}


def list_objects() -> tuple[type[Fact], ...]:
    """Return the models of objects inside of data, each once, by name."""
    found: dict[str, type[Fact]] = {}
    waiting = [spec.result for spec in CATALOGUE.values() if spec.result]
    while waiting:
        for inner in (each for info in waiting.pop().model_fields.values() for each in _find_models(info.annotation)):
            if inner.__name__ not in found:
                found[inner.__name__] = inner
                waiting.append(inner)
    return tuple(found[name] for name in sorted(found))


def page() -> str:
    """Return the page's current text."""
    commands = "".join(
        f"\n## `{'`, `'.join((spec.name, *spec.also))}`\n\n{_table(spec.result)}"
        for spec in CATALOGUE.values()
        if spec.result
    )
    objects = "".join(f"\n### {name_object(model)}\n\n{_table(model)}" for model in list_objects())
    return f"{_HEAD}{commands}\n## Objects\n{objects}{_TAIL}"


def name_object(model: type[Fact]) -> str:
    """Return the name of an object's type on the page: `waiting question` of `WaitingQuestionData`."""
    words = re.findall("[A-Z][a-z]+", model.__name__.removesuffix("Data"))
    return " ".join(words).lower()


def _table(model: type[Fact]) -> str:
    about = " ".join((inspect.getdoc(model) or "").split())
    rows = "".join(f"| `{name}` | {kind} | {content} |\n" for name, (kind, content) in list_fields(model).items())
    return f"{about}\n\n| field | type | content |\n|---|---|---|\n{rows}"


def _for_json(text: str) -> str:
    return text.replace("`None`", "null").replace("|", "\\|")


def _describe_type(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _describe_type(arguments[0])
    if origin in (Union, UnionType):
        words = dict.fromkeys(_describe_type(each) for each in arguments if each is not NoneType)
        kind = "number" if [*words] == ["integer", "number"] else " or ".join(words)
        return f"{kind} or null" if NoneType in arguments else kind
    if origin is Literal:
        return "text"
    if origin is tuple:
        return f"list of {_describe_type(arguments[0])}"
    if origin is dict:
        return f"{_describe_type(arguments[1])} by name"
    if isinstance(annotation, type) and issubclass(annotation, Fact):
        name = name_object(annotation)
        return f"[{name}](#{name.replace(' ', '-')})"
    return _TYPES.get(annotation, "any value")


def _find_models(annotation: Any) -> Iterator[type[Fact]]:
    """Yield the models inside of a type."""
    if isinstance(annotation, type) and issubclass(annotation, Fact):
        yield annotation
    for argument in get_args(annotation):
        yield from _find_models(argument)


if __name__ == "__main__":
    sys.exit(write_page(PAGE, page()))
