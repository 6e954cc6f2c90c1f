"""A value that may be shown: a definition with its place in the project, and how far it is what was asked for. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.values.definitions import SMALL_BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.values.definition import Definition

_BESIDE = 3
"""Definitions at most so many lines apart are shown together."""


@dataclass(frozen=True, slots=True)
class Value:
    """A definition with its place and its score."""

    score: float
    path: str
    found: Definition
    start: int
    end: int
    holds: float = 1.0
    """The share of the question's telling words that stand in it, or in what speaks of it."""
    has_rarest: bool = True
    """True if the most telling of them does."""
    held: frozenset[int] = frozenset()
    """The numbers of the question's terms that stand there, everyday words too."""
    named: frozenset[int] = frozenset()
    """Those that stand in its own name, or that a word of it is a turn of speech for."""
    measures: bool = False
    """True if its own name is one of the kind of quantity that was asked for."""
    counts_else: bool = False
    """True if it counts something of its own, which is none of the question."""
    unasked: int = 0
    """Words of its own name that are none of the question."""

    def evolved(self, score: float) -> Value:
        """The same with another score."""
        return replace(self, score=score)


def together(values: Sequence[Value]) -> list[Value]:
    """The same, each name and value once, with neighbours of one file as one; the best first."""
    kept: list[Value] = []
    known: set[tuple[str, str]] = set()
    for one in values:
        if (one.found.name, one.found.value) in known:
            continue
        known.add((one.found.name, one.found.value))
        beside = next((at for at, other in enumerate(kept) if _neighbours(one, other)), None)
        if beside is None:
            kept.append(one)
        else:
            other = kept[beside]
            kept[beside] = replace(other, start=min(one.start, other.start), end=max(one.end, other.end))
    return kept


def _neighbours(one: Value, other: Value) -> bool:
    near = one.path == other.path and one.start <= other.end + _BESIDE and other.start <= one.end + _BESIDE
    return near and max(one.end, other.end) - min(one.start, other.start) < SMALL_BLOCK
