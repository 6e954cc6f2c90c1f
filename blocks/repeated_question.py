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
    return [context(_line(thread, asked, limit)) for asked in thread.asked_before]


def _line(thread: Thread, asked: AskedBefore, limit: int) -> str:
    if asked.answered_at is None:
        return f"*Also asked:* <{asked.url}|in this thread>, which is still open."
    by = f" by <@{asked.answered_by}>" if asked.answered_by else ""
    said = f"*Asked before:* <{asked.url}|in this thread>, answered{by} · {moment(asked.answered_at)}."
    if asked.not_again:
        return f"{said} That answer is not reused: {escape(clip(asked.not_again, limit))}."
    if serves_again(thread) and thread.draft_pending:
        return f"{said} *Answered before:* the draft is from there. Redraft investigates again."
    return said
