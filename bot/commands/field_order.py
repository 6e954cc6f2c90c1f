"""Fields of the words that follow a command's name. Pure.

Words fill the free fields in their order. Where the input does not fit so, a word that is exactly the name of a known
project or channel goes to `project` or `channel`, wherever it stands. Surplus words are passed on as `word N`, which
the handler refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.commands.argument_names import find_field, rename_arguments
from bot.models.order import HERE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from bot.commands.command import CommandSpec
    from bot.commands.words import CommandWord
    from bot.models.fact import Fact

_CHANNEL_MENTION = re.compile(r"<#[CDG][A-Z0-9]{1,30}(?:\|[^>]*)?>")
_NO_PROJECT = "none"
"""Word for no project, where a command takes one."""


@dataclass(frozen=True, kw_only=True)
class ObjectNames:
    """Names that exist: of projects and their roots, of watched channels and their ids."""

    projects: Collection[str] = ()
    channels: Collection[str] = ()

    def has(self, field: str, word: str) -> bool:
        """Return whether a word is a name that this field takes, in any case."""
        if field == "project":
            return word.lower() in {_NO_PROJECT, *(name.lower() for name in self.projects)}
        channel = word.removeprefix("#").lower()
        is_known = channel == HERE or channel in {name.lower() for name in self.channels}
        return is_known or bool(_CHANNEL_MENTION.fullmatch(word))


NO_NAMES = ObjectNames()
_SURPLUS = "word "
NAMED_FIELDS = ("project", "channel")
"""Fields that a known name fills wherever it stands."""


def fill_fields(
    spec: CommandSpec, text: str, words: Sequence[CommandWord], object_names: ObjectNames
) -> dict[str, str]:
    """Return the words after a command's name by field. `text` is what the words were split from."""
    return _fill_with_rest(spec, text, words) if spec.rest else _fill_in_order(spec.input, words, object_names)


def fits(form: type[Fact], arguments: Mapping[str, Any], object_names: ObjectNames) -> bool:
    """Return whether an input takes these arguments, and each project or channel among them exists."""
    return _are_known(arguments, object_names) and _validates(form, arguments)


def _are_known(arguments: Mapping[str, Any], object_names: ObjectNames) -> bool:
    return all(object_names.has(field, str(arguments[field])) for field in NAMED_FIELDS if field in arguments)


def _validates(form: type[Fact], arguments: Mapping[str, Any]) -> bool:
    try:
        form.model_validate(rename_arguments(form, arguments))
    except ValidationError:
        return False
    return True


def number_surplus(before: int, words: Sequence[str]) -> dict[str, str]:
    """Return surplus words by their places in the line."""
    return {f"{_SURPLUS}{number}": word for number, word in enumerate(words, before + 1)}


def list_surplus(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the surplus words of an input, in order."""
    return tuple(str(value) for name, value in arguments.items() if is_surplus(name))


def is_surplus(name: str) -> bool:
    """Return whether a field of an input is a surplus word."""
    return name.startswith(_SURPLUS)


def _fill_in_order(form: type[Fact], words: Sequence[CommandWord], object_names: ObjectNames) -> dict[str, str]:
    """Fill the keyed fields first, then the others in order, then known names wherever they stand."""
    keyed: dict[str, str] = {}
    plain = []
    for word in words:
        if word.key and word.key not in keyed and find_field(form, word.key):
            keyed[word.key] = word.value
        else:
            plain.append(word.plain)
    taken = {find_field(form, name) for name in keyed}
    free = [field for field in form.model_fields if field not in taken]
    in_order = dict(zip(free, plain, strict=False)) | number_surplus(len(form.model_fields), plain[len(free) :])
    if _are_known(in_order, object_names) and _validates(form, keyed | in_order):
        return keyed | in_order
    for arguments in _rearrange(free, plain, object_names) if len(plain) <= len(free) else ():
        if _validates(form, keyed | arguments):
            return keyed | arguments
    return keyed | in_order


def _rearrange(fields: Sequence[str], words: Sequence[str], object_names: ObjectNames) -> Iterator[dict[str, str]]:
    """Yield the ways in which known names, the last ones first, leave the order of the other words."""
    movable = [field for field in NAMED_FIELDS if field in fields]
    places = [
        [*reversed([n for n, word in enumerate(words) if object_names.has(field, word)]), None] for field in movable
    ]
    for chosen in product(*places):
        moved = {field: place for field, place in zip(movable, chosen, strict=True) if place is not None}
        if not moved or len({*moved.values()}) < len(moved):
            continue
        rest = [word for place, word in enumerate(words) if place not in moved.values()]
        others = [field for field in fields if field not in moved]
        yield {field: words[place] for field, place in moved.items()} | dict(zip(others, rest, strict=False))


def _fill_with_rest(spec: CommandSpec, text: str, words: Sequence[CommandWord]) -> dict[str, str]:
    """Fill fields word by word until only the last one is left, which takes the rest."""
    form = spec.input
    *before, last = form.model_fields
    needed = [field for field in before if form.model_fields[field].is_required()]
    arguments: dict[str, str] = {}
    for place, word in enumerate(words):
        taken = {find_field(form, name) for name in arguments}
        open_fields = [field for field in needed if field not in taken]
        field = find_field(form, word.key) if word.key else None
        if word.key and field in before and word.key not in arguments:
            arguments[word.key] = word.value
        elif word.key and field == last and last not in taken:
            if not word.is_quoted:
                return arguments | {last: text[word.start + len(word.key) + 1 :].strip()}
            arguments[last] = word.value
        elif open_fields:
            arguments[open_fields[0]] = word.plain
        elif last in taken:
            return arguments | number_surplus(len(form.model_fields), [each.plain for each in words[place:]])
        else:
            return arguments | {last: text[word.start :].strip()}
    return arguments
