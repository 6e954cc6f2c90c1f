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


def merge_overlaps(cited: Iterable[Cited]) -> list[Cited]:
    """Merge overlapping passages, in the order of the first of each."""
    distinct: list[Cited] = []
    for passage in cited:
        at = next((at for at, other in enumerate(distinct) if _overlap(passage, other)), None)
        if at is None:
            distinct.append(passage)
        else:
            distinct[at] = _union(distinct[at], passage)
    return distinct


def _overlap(passage: Cited, other: Cited) -> bool:
    same = passage.rated.path == other.rated.path
    return same and passage.quote.start <= other.quote.end and other.quote.start <= passage.quote.end


def _union(passage: Cited, other: Cited) -> Cited:
    start, end = min(passage.quote.start, other.quote.start), max(passage.quote.end, other.quote.end)
    both = replace(
        passage,
        is_kept=passage.is_kept or other.is_kept,
        sets=passage.sets or other.sets,
        line=passage.line or other.line,
    )
    if end - start >= _LONGEST or (start, end) == (passage.quote.start, passage.quote.end):
        return both
    return replace(both, quote=Quote(start, end, tuple(passage.lines[start - 1 : end])), line=both.line or start)
