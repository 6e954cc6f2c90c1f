"""The difference that an edit made, word by word: struck out what went, bold what came. A rewrite is only named."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, rich, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.models.thread import Thread

MOST_SPANS = 12
"""Pieces of a change that are still read as one; more of them are a rewrite."""
_KEPT = 0.5
"""Share of the words that stay in an edit; fewer are a rewrite."""
_PIECE = 80
"""Characters that are shown of one piece."""
_AROUND = 20
"""Characters of what stayed that are shown on each side of a change."""
_WORD = re.compile(r"\s+|[^\s]+")
_LAST_WORD, _FIRST_WORD = re.compile(r"\S+\Z"), re.compile(r"\A\S+")
_LONGEST = 3_000
"""Words that are compared; a draft has far fewer."""


def edited(thread: Thread) -> list[Block]:
    """Show what somebody changed in the draft; nothing where nobody edited, one line where it is another text."""
    draft = thread.draft_pending
    if draft is None or draft.drafted is None or draft.edited_by is None:
        return []
    pieces = list(_pieces(draft.drafted, draft.text))
    if len(pieces) > MOST_SPANS or not _is_kept(draft.drafted, draft.text):
        return [context(f"*Rewritten by <@{draft.edited_by}>.* Show Evidence has the old text.")]
    return [context(f"*Changed by <@{draft.edited_by}>:*"), rich({"type": "rich_text_quote", "elements": pieces})]


def _is_kept(before: str, after: str) -> bool:
    """Whether most of the words stay."""
    old, new = before.split()[:_LONGEST], after.split()[:_LONGEST]
    same = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_matching_blocks()
    return sum(block.size for block in same) >= _KEPT * min(len(old), len(new))


def _pieces(before: str, after: str) -> Iterator[Block]:
    old, new = _WORD.findall(before)[:_LONGEST], _WORD.findall(after)[:_LONGEST]
    for tag, i, j, k, m in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        went, came = "".join(old[i:j]), "".join(new[k:m])
        if tag == "equal":
            yield span(_shortened(went))
            continue
        if went.strip():
            yield span(clip(went, _PIECE), strike=True)
        if came.strip():
            yield span(clip(came, _PIECE), bold=True)


def _shortened(same: str) -> str:
    """Its ends, cut between words where there are any."""
    if len(same) <= 2 * _AROUND + 1:
        return same
    first, last = same[:_AROUND], same[-_AROUND:]
    whole = _LAST_WORD.sub("", first) or first, _FIRST_WORD.sub("", last) or last
    return f"{whole[0]}…{whole[1]}"
