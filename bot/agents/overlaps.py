"""Overlaps of cited passages: each line is cited once, and overlapping passages are merged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.snippets import Quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.agents.keyword_answer import Cited

_LONGEST = 12
"""Maximum of lines of a merged passage; beyond it, the first passage is kept alone."""


def merged(cited: Iterable[Cited]) -> list[Cited]:
    """Merge overlapping passages, in the order of the first of each."""
    found: list[Cited] = []
    for one in cited:
        at = next((at for at, other in enumerate(found) if _overlap(one, other)), None)
        if at is None:
            found.append(one)
        else:
            found[at] = _union(found[at], one)
    return found


def _overlap(one: Cited, other: Cited) -> bool:
    same = one.rated.path == other.rated.path
    return same and one.quote.start <= other.quote.end and other.quote.start <= one.quote.end


def _union(one: Cited, other: Cited) -> Cited:
    start, end = min(one.quote.start, other.quote.start), max(one.quote.end, other.quote.end)
    both = replace(one, stays=one.stays or other.stays, sets=one.sets or other.sets, line=one.line or other.line)
    if end - start >= _LONGEST or (start, end) == (one.quote.start, one.quote.end):
        return both
    return replace(both, quote=Quote(start, end, tuple(one.lines[start - 1 : end])), line=both.line or start)
