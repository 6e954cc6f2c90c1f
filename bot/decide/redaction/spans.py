"""Secret spans of a text: merged, and replaced with the number of lines kept. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int, str]
"""First position, the position after the last, and the kind of secret."""


def replace_spans(text: str, spans: Iterable[Span], instead: str) -> str:
    """Replace each span by `instead` and its line breaks; adjacent and overlapping spans are merged."""
    pieces: list[str] = []
    at = 0
    for first, last in _merge_spans(spans):
        pieces += (text[at:first], instead, "\n" * text.count("\n", first, last))
        at = last
    return "".join((*pieces, text[at:]))


def _merge_spans(spans: Iterable[Span]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last, _ in sorted(spans):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        elif first < last:
            joined.append((first, last))
    return joined
