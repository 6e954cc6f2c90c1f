"""What a rule of Block Kit can say about raw JSON; `limits` is written in these words, `checks` reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Words:
    """A string of so many characters, or one of a few."""

    most: int | None = None
    least: int = 0
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """A text object; Slack never takes an empty one."""

    most: int
    kinds: tuple[str, ...] = ("plain_text",)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number between two others."""

    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Anything:
    """Left to Slack."""


@dataclass(frozen=True, slots=True)
class Many:
    """A list of so many of the same. With `unique`, no two may share their value of that key."""

    of: Rule
    most: int | None = None
    least: int = 0
    unique: str = ""


@dataclass(frozen=True, slots=True)
class Kinds:
    """An object whose `type` is one of these names of the table."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """An object. Of the keys in `either` at least one must be there, of those in `exclusive` no two."""

    required: Mapping[str, Rule] = field(default_factory=dict)
    optional: Mapping[str, Rule] = field(default_factory=dict)
    either: tuple[str, ...] = ()
    exclusive: tuple[str, ...] = ()
    is_open: bool = False
    """Further keys are let through: Slack documents this object too thinly to refuse them."""


Rule = Words | Text | Flag | Number | Anything | Many | Kinds | Parts
