"""Repeated question on a card: a line for each earlier thread, and the outcome of its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, moment
from bot.models.repeated_question import ANSWERED_BEFORE

if TYPE_CHECKING:
    from bot.models.repeated_question import AskedBefore
    from bot.models.thread import Thread


def serves_again(thread: Thread) -> bool:
    """Return whether the draft is a reused approved answer."""
    return thread.engine == ANSWERED_BEFORE


def asked_before(thread: Thread, limit: int) -> list[Block]:
    """Build the lines; the reason against reusing an answer has at most `limit` characters."""
    return [context(_line(thread, earlier, limit)) for earlier in thread.asked_before]


def _line(thread: Thread, earlier: AskedBefore, limit: int) -> str:
    if earlier.answered_at is None:
        return f"*Also asked:* <{earlier.url}|in this thread>, which is still open."
    by = f" by <@{earlier.answered_by}>" if earlier.answered_by else ""
    line = f"*Asked before:* <{earlier.url}|in this thread>, answered{by} · {moment(earlier.answered_at)}."
    if earlier.not_again:
        return f"{line} That answer is not reused: {escape(clip(earlier.not_again, limit))}."
    if serves_again(thread) and thread.draft_pending:
        return f"{line} *Answered before:* the draft is from there. Redraft investigates again."
    return line
