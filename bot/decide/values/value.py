"""Candidate value: a definition with its place in the project and its match with the question. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.values.definitions import SMALL_BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.values.definition import Definition

_BESIDE = 3
"""Maximum distance in lines of definitions that are shown together."""


@dataclass(frozen=True, slots=True)
class Value:
    """Definition with its place and its score."""

    score: float
    path: str
    definition: Definition
    start: int
    end: int
    holds: float = 1.0
    """Share of the question's informative words in it, or in lines about it."""
    has_rarest: bool = True
    """True if it has the most informative of them."""
    held_terms: frozenset[int] = frozenset()
    """Indices of the question's terms in it, including everyday words."""
    named: frozenset[int] = frozenset()
    """Indices of terms in its own name, also as hints for an idiom."""
    names_quantity: bool = False
    """True if its own name is a term for the requested kind of quantity."""
    counts_else: bool = False
    """True if it counts something that is not in the question."""
    unasked: int = 0
    """Number of words in its own name that are not in the question."""

    def evolved(self, score: float) -> Value:
        """Return a copy with another score."""
        return replace(self, score=score)


def merge_values(values: Sequence[Value]) -> list[Value]:
    """Merge values with the same name and value, and neighbours in one file; best first."""
    merged: list[Value] = []
    pairs: set[tuple[str, str]] = set()
    for value in values:
        if (value.definition.name, value.definition.value) in pairs:
            continue
        pairs.add((value.definition.name, value.definition.value))
        beside = next((at for at, other in enumerate(merged) if _neighbours(value, other)), None)
        if beside is None:
            merged.append(value)
        else:
            other = merged[beside]
            merged[beside] = replace(other, start=min(value.start, other.start), end=max(value.end, other.end))
    return merged


def _neighbours(value: Value, other: Value) -> bool:
    near = value.path == other.path and value.start <= other.end + _BESIDE and other.start <= value.end + _BESIDE
    return near and max(value.end, other.end) - min(value.start, other.start) < SMALL_BLOCK
