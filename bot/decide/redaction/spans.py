"""Spans of a text that are secret: put together, and taken out with the number of lines kept. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int, str]
"""The first place, the place after the last, and what kind of secret it is."""


def without(text: str, spans: Iterable[Span], instead: str) -> str:
    """`text` with `instead` for each span, and the line breaks of it; spans that touch or overlap are one."""
    pieces: list[str] = []
    at = 0
    for first, last in _joined(spans):
        pieces += (text[at:first], instead, "\n" * text.count("\n", first, last))
        at = last
    return "".join((*pieces, text[at:]))


def _joined(spans: Iterable[Span]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last, _ in sorted(spans):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        elif first < last:
            joined.append((first, last))
    return joined
