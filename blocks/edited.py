"""What an edit changed, word by word: struck out what went, bold what came. Called by `blocks/controls`."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, rich, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.models.thread import Thread

MOST_SPANS = 12
"""Pieces that are shown of a change; what comes after is counted."""
_PIECE = 80
"""Characters that are shown of one piece."""
_AROUND = 20
"""Characters of what stayed that are shown on each side of a change."""
_WORD = re.compile(r"\s+|[^\s]+")
_LAST_WORD, _FIRST_WORD = re.compile(r"\S+\Z"), re.compile(r"\A\S+")
_LONGEST = 3_000
"""Words that are compared; a draft has far fewer."""


def edited(thread: Thread) -> list[Block]:
    """The difference between what was drafted and what somebody made of it; nothing where nobody edited."""
    draft = thread.draft_pending
    if draft is None or draft.drafted is None or draft.edited_by is None:
        return []
    pieces = list(_pieces(draft.drafted, draft.text))
    more = f" The first {MOST_SPANS} pieces:" if len(pieces) > MOST_SPANS else ""
    shown = {"type": "rich_text_quote", "elements": pieces[:MOST_SPANS]}
    return [context(f"*Changed by <@{draft.edited_by}>:*{more}"), rich(shown)]


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
