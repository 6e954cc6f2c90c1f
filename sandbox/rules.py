"""Rule types for raw JSON of Block Kit; `limits` consists of them, `checks` applies them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Words:
    """String of limited length, or one of a few values."""

    maximum: int | None = None
    minimum: int = 0
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """Text object; Slack never accepts an empty one."""

    maximum: int
    kinds: tuple[str, ...] = ("plain_text",)


@dataclass(frozen=True, slots=True)
class Flag:
    """Boolean."""


@dataclass(frozen=True, slots=True)
class Number:
    """Number within limits."""

    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value, not checked here."""


@dataclass(frozen=True, slots=True)
class Many:
    """List of limited length. With `unique`, no two items may have the same value of that key."""

    of: Rule
    maximum: int | None = None
    minimum: int = 0
    unique: str = ""


@dataclass(frozen=True, slots=True)
class Kinds:
    """Object whose `type` is one of these names in the table."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """Object. It must have at least one of the keys in `either`, and at most one of those in `exclusive`."""

    required: Mapping[str, Rule] = field(default_factory=dict)
    optional: Mapping[str, Rule] = field(default_factory=dict)
    either: tuple[str, ...] = ()
    exclusive: tuple[str, ...] = ()
    is_open: bool = False
    """True if further keys are accepted, since Slack's documentation of this object is incomplete."""


Rule = Words | Text | Flag | Number | Anything | Many | Kinds | Parts
