"""Lookup of the valid keys of a section, by the location of an unknown one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def keys_beside(top: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """Return the valid keys at the last part of `location`; empty where no section is there.

    `location` is pydantic's: keys, list indexes, mapping names and union tags, of which only keys lead into a section.
    """
    sections: list[type[BaseModel]] = [top]
    for part in location[:-1]:
        fields = [section.model_fields[part] for section in sections if part in section.model_fields]
        if fields:
            sections = [inner for field in fields for inner in _sections(field.annotation)]
        else:
            sections = [section for section in sections if _is_tagged(section, part)] or sections
    return [key for section in sections for key in section.model_fields]


def _is_tagged(section: type[BaseModel], part: int | str) -> bool:
    """Return whether a part of a location is the tag of this member of a union."""
    kind = section.model_fields.get("type")
    return kind is not None and get_args(kind.annotation) == (part,)


def _sections(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the section classes in an annotation, including those in lists, mappings and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _sections(inner)
