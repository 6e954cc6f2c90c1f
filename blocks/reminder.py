"""Reminder in an operator's direct message: their pending decisions, with a button to each card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.notification import describe_question
from blocks.queue import age, entries
from blocks.text import section
from bot.models.queue_order import waits_since

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.thread import Thread


def build_reminder(threads: Sequence[Thread], *, of: int, url: str, now: datetime) -> dict[str, Any]:
    """Build the `text` and `blocks`; `threads` are the oldest ones, `of` is the number in all."""
    many = of != 1
    oldest = f", the oldest for {age(now - waits_since(threads[0]))}" if many and threads else ""
    line = f"{of} question{'s wait' if many else ' waits'} for your decision{oldest}."
    first = f" {'The oldest: ' if many else ''}{describe_question(threads[0])}" if threads else ""
    hint = "`/triage queue` lists them."
    return {
        "text": f"{line}{first}",
        "blocks": [section(line), *entries(threads, of=of, url=url, now=now, rest_hint=hint)],
    }
