"""Generator of docs/settings.md from the models of the settings; `--check` only compares."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.config.sections import base
from bot.config.sections.approval import TimeOfDay
from bot.config.settings import Settings
from scripts.field_docs import read_field_docs
from scripts.written_page import write_page

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "settings.md"

_HEAD = """\
# Settings

Each key of `triage.yml`, with its value, its default and its meaning. `triage.example.yml` is a whole file to copy
from; `triage doctor` names each mistake with its line. An unknown key is a mistake, too. Secrets stand in the
environment ([install.md](install.md#4-secrets)), never here. A relative path starts at the settings file.
"""

_TAIL = """
This page is written by `scripts/settings_page.py`.
"""

_TABLE = """
| key | value | default | meaning |
|---|---|---|---|
"""

_PLAIN: dict[Any, str] = {str: "text", int: "integer", float: "number", bool: "true or false", Path: "path"}
_NAMED: dict[Any, str] = {
    get_args(base.ChannelId)[1]: "channel id",
    get_args(base.UserId)[1]: "user id",
    get_args(base.TeamId)[1]: "user or user group id",
    get_args(base.AlertBotId)[1]: "bot or user id",
    get_args(base.VariableName)[1]: "name of a variable",
    get_args(base.HostName)[1]: "host",
    get_args(base.ProgramHost)[1]: "host",
    get_args(base.DayTime)[1]: "time of day or `off`",
    get_args(base.WeekTime)[1]: "weekday and time, or `off`",
    get_args(TimeOfDay)[1]: "time of day",
}
"""Words for a type, by the constraint that tells it from others."""


class Setting(NamedTuple):
    """Row of a table."""

    key: str
    value: str
    default: str
    meaning: str


class Table(NamedTuple):
    """Settings of one section, under the key that leads to it; a member of a union has its type in the title."""

    title: str
    about: str
    settings: tuple[Setting, ...]


def list_tables() -> tuple[Table, ...]:
    """Return all sections in the order of the settings, each once, followed by the sections inside."""
    places: dict[type[BaseModel], str] = {}
    for section, place in _place_sections(Settings, ""):
        places.setdefault(section, place)
    return tuple(_tabulate(section, places) for section in places)


def page() -> str:
    """Return the page's current text."""
    return "".join((_HEAD, *map(_format, list_tables()), _TAIL))


def _format(table: Table) -> str:
    rows = "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in table.settings)
    return f"\n## {table.title}\n\n{table.about}\n{_TABLE}{rows}"


def _place_sections(section: type[BaseModel], place: str) -> Iterator[tuple[type[BaseModel], str]]:
    """Yield each section with the title of its table: its key, and for a member of a union its type."""
    yield section, f"{place or 'Top level'}{_tag(section)}"
    for name, info in section.model_fields.items():
        for inner in dict.fromkeys(_find_sections(info.annotation)):
            key = info.alias or name
            yield from _place_sections(inner, f"{place}.{key}" if place else key)


def _tag(section: type[BaseModel]) -> str:
    kind = section.model_fields.get("type")
    return f" of type {get_args(kind.annotation)[0]}" if kind else ""


def _tabulate(section: type[BaseModel], places: dict[type[BaseModel], str]) -> Table:
    rows = tuple(_row(section, name, info, places) for name, info in section.model_fields.items())
    return Table(places[section], _document(section), rows)


def _row(section: type[BaseModel], name: str, info: FieldInfo, places: dict[type[BaseModel], str]) -> Setting:
    inner = tuple(dict.fromkeys(_find_sections(info.annotation)))
    meaning = read_field_docs(section).get(name) or (_document(inner[0]) if inner else "")
    value = _describe(info.annotation, info.metadata)
    if inner:
        links = (f"[{_tag(each)[9:] or 'section'}](#{_anchor(places[each])})" for each in inner)
        value = value.replace("section", " or ".join(links))
    return Setting(f"`{info.alias or name}`", value, "" if inner else _default(info, value), _link_pages(meaning))


def _document(section: type[BaseModel]) -> str:
    if section is Settings:
        return "All sections, and the keys outside of them."
    return " ".join((inspect.getdoc(section) or "").split())


def _link_pages(text: str) -> str:
    return re.sub(r"docs/([\w-]+\.md)", r"[\1](\1)", text)


def _anchor(title: str) -> str:
    return title.lower().replace(".", "").replace(" ", "-")


def _default(info: FieldInfo, value: str) -> str:
    if info.is_required():
        return "required"
    default = info.get_default(call_default_factory=True)
    if default in (None, "", (), {}):
        return ""
    if value == "time of day":
        return f"`{default // 60:02}:{default % 60:02}`"
    items = default if isinstance(default, tuple) else (default,)
    return ", ".join(f"`{str(item).lower() if isinstance(item, bool) else item}`" for item in items)


def _describe(annotation: Any, metadata: Any = ()) -> str:
    """Return a type in words, with its limits."""
    if named := next((_NAMED[each] for each in metadata if _is_named(each)), ""):
        return named
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _describe(arguments[0], [*_unfold(arguments[1:]), *metadata])
    if origin in (Union, UnionType):
        kinds = dict.fromkeys(_describe(each, metadata) for each in arguments if each is not NoneType)
        return " or ".join(kinds)
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    if origin is tuple:
        return f"list of {_describe(arguments[0])}"
    if origin is dict:
        return f"{_describe(arguments[1])} by name"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    return f"{_PLAIN[annotation]}{_limits(metadata)}"


def _is_named(constraint: Any) -> bool:
    try:
        return constraint in _NAMED
    except TypeError:  # not hashable
        return False


def _unfold(metadata: Any) -> Iterator[Any]:
    for each in metadata:
        if isinstance(each, FieldInfo):
            yield from each.metadata
        else:
            yield each


def _limits(metadata: Any) -> str:
    least = next((f"{each.ge:,}" for each in metadata if isinstance(each, Ge)), "")
    above = next((f"{each.gt:,}" for each in metadata if isinstance(each, Gt)), "")
    most = next((f"{each.le:,}" for each in metadata if isinstance(each, Le)), "")
    longest = next((f" of at most {each.max_length:,} characters" for each in metadata if isinstance(each, MaxLen)), "")
    low = f" from {least}" if least else f" above {above}" if above else ""
    high = (f" to {most}" if least else f", at most {most}") if most else ""
    return f"{low}{high}{longest}"


def _find_sections(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the sections inside of a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _find_sections(argument)


if __name__ == "__main__":
    sys.exit(write_page(PAGE, page()))
