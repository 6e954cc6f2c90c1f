"""The keys that a section of the settings takes, found by the place of a key that it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def keys_beside(top: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """The keys that may stand where the last part of `location` stands; none where nothing has keys there.

    `location` is pydantic's: keys, numbers of a list, names of a mapping, and tags of a union, of which the keys alone
    lead into a section.
    """
    sections: list[type[BaseModel]] = [top]
    for part in location[:-1]:
        fields = [section.model_fields[part] for section in sections if part in section.model_fields]
        if fields:
            sections = [inner for field in fields for inner in _sections(field.annotation)]
    return [key for section in sections for key in section.model_fields]


def _sections(annotation: Any) -> Iterator[type[BaseModel]]:
    """The sections in an annotation, also in a list, a mapping or a choice."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _sections(inner)
