"""Word diff of an edit: deletions struck out, additions bold. A rewrite is only mentioned."""

from __future__ import annotations

import difflib
import re
from itertools import groupby
from typing import TYPE_CHECKING

from blocks.reply import FENCED
from blocks.text import Block, clip, context, format_count, rich_text, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.models.thread import Thread

    Word = tuple[str, bool]
    """A word or a blank, and whether it is in a block of code."""

MOST_CHANGES = 12
"""Changes that are shown; the others are counted."""
_MIN_KEPT_SHARE = 0.5
"""Share of the longer text's words that an edit keeps; with fewer it counts as a rewrite."""
_PIECE = 80
"""Characters shown of one piece."""
_AROUND = 20
"""Unchanged characters shown on each side of a change."""
_WORD = re.compile(r"\s+|[^\s]+")
_LAST_WORD, _FIRST_WORD = re.compile(r"(?<!\S)\S+\Z"), re.compile(r"\A\S+")
_LONGEST = 3_000
"""Words that are compared; a draft has far fewer."""


def build_edit_diff(thread: Thread) -> list[Block]:
    """Build the diff of an edited draft; empty without an edit, one line for a rewrite."""
    draft = thread.draft_pending
    if draft is None or draft.drafted is None or draft.edited_by is None:
        return []
    if not _is_kept(draft.drafted, draft.text):
        return [context(f"*Rewritten by <@{draft.edited_by}>.* Show Evidence has the old text.")]
    pieces = [*_separate_code(_pieces(draft.drafted, draft.text))]
    return [context(f"*Changed by <@{draft.edited_by}>:*"), rich_text({"type": "rich_text_quote", "elements": pieces})]


def _is_kept(before: str, after: str) -> bool:
    """Return whether most of the words stay."""
    old, new = before.split()[:_LONGEST], after.split()[:_LONGEST]
    same = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_matching_blocks()
    return sum(block.size for block in same) >= _MIN_KEPT_SHARE * max(len(old), len(new))


def _pieces(before: str, after: str) -> Iterator[Block]:
    """Yield the unchanged parts, shortened, and each change."""
    old, new = _split_words(before), _split_words(after)
    at, changes = 0, _changes(old, new)
    for i, j, k, m in changes[:MOST_CHANGES]:
        yield from _shorten_unchanged(old[at:i])
        yield from _spans(old[i:j], strike=True)
        yield from _spans(new[k:m], bold=True)
        at = j
    if left := len(changes[MOST_CHANGES:]):
        yield span(f" … and {format_count(left, 'more change')}")
    else:
        yield from _shorten_unchanged(old[at:])


def _changes(old: Sequence[Word], new: Sequence[Word]) -> list[tuple[int, int, int, int]]:
    """Return the ranges that differ in the old and the new words; blanks do not separate two changes."""
    merged: list[tuple[int, int, int, int]] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if merged and not "".join(word for word, _ in old[merged[-1][1] : i]).strip():
            i, k = merged[-1][0], merged[-1][2]
            merged.pop()
        merged.append((i, j, k, m))
    return merged


def _split_words(text: str) -> list[Word]:
    """Split a text into words and blanks, without the fences of code blocks."""
    words: list[Word] = []
    at = 0
    for fence in FENCED.finditer(text):
        words += [(word, False) for word in _WORD.findall(text[at : fence.start()])]
        words += [(word, True) for word in _WORD.findall(fence["code"])]
        at = fence.end()
    return [*words, *((word, False) for word in _WORD.findall(text[at:]))][:_LONGEST]


def _runs(words: Sequence[Word]) -> list[tuple[str, bool]]:
    """Merge neighbours of one kind."""
    return [("".join(word for word, _ in run), is_code) for is_code, run in groupby(words, lambda word: word[1])]


def _spans(words: Sequence[Word], **style: bool) -> Iterator[Block]:
    for text, is_code in _runs(words):
        if text.strip():
            yield span(clip(text, _PIECE), **style, **_kind(is_code))


def _kind(is_code: bool) -> dict[str, bool]:
    return {"code": True} if is_code else {}


def _shorten_unchanged(words: Sequence[Word]) -> Iterator[Block]:
    """Yield the ends of an unchanged part, cut between words if possible."""
    runs = _runs(words)
    if not runs:
        return
    if sum(len(text) for text, _ in runs) <= 2 * _AROUND + 1:
        yield from (span(text, **_kind(is_code)) for text, is_code in runs)
        return
    (begin, begin_code), (end, end_code) = runs[0], runs[-1]
    first, last = begin[:_AROUND], end[-_AROUND:]
    first = first if first == begin else _LAST_WORD.sub("", first) or first
    last = last if last == end else _FIRST_WORD.sub("", last) or last
    if begin_code == end_code:
        yield span(f"{first}…{last}", **_kind(end_code))
    else:
        yield span(f"{first}…", **_kind(begin_code))
        yield span(last, **_kind(end_code))


def _separate_code(pieces: Iterator[Block]) -> Iterator[Block]:
    """Yield the pieces, with lines of code on lines of their own."""
    before: Block | None = None
    for piece in pieces:
        ends = before is None or before["text"].endswith("\n") or piece["text"].startswith("\n")
        if before and not ends and _is_code(before) != _is_code(piece):
            yield span("\n")
        yield piece
        before = piece


def _is_code(piece: Block) -> bool:
    return "code" in piece.get("style", {})
