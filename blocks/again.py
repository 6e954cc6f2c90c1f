"""Where the same was asked before, on a card: a line for each thread, and what became of its answer.

Called by `blocks/card`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, moment
from bot.models.earlier import ANSWERED_BEFORE

if TYPE_CHECKING:
    from bot.models.earlier import Earlier
    from bot.models.thread import Thread


def serves_again(thread: Thread) -> bool:
    """Whether the draft is an approved answer of before."""
    return thread.engine == ANSWERED_BEFORE


def asked_before(thread: Thread, limit: int) -> list[Block]:
    """The lines; the word on why an answer does not serve again has at most `limit` characters."""
    return [context(_line(thread, earlier, limit)) for earlier in thread.earlier]


def _line(thread: Thread, earlier: Earlier, limit: int) -> str:
    if earlier.answered_at is None:
        return f"*Also asked:* <{earlier.url}|in this thread>, which is still open."
    by = f" by <@{earlier.answered_by}>" if earlier.answered_by else ""
    said = f"*Asked before:* <{earlier.url}|in this thread>, answered{by} · {moment(earlier.answered_at)}."
    if earlier.not_again:
        return f"{said} That answer does not serve again: {escape(clip(earlier.not_again, limit))}."
    if serves_again(thread) and thread.draft_pending:
        return f"{said} *Answered before:* the draft is from there. Redraft looks into it anew."
    return said
