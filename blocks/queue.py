"""Pending decisions as lines with a button each: in `/triage queue`, in a reminder, on the App Home."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.controls import press_value
from blocks.external_people import describe_outsiders
from blocks.question import name_source, own_words, question_title
from blocks.text import Block, button, clip, context, escape, name_channel, section
from bot.models.queue_order import waits_since

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.thread import Thread

SHOW_CARD = "show_card"
"""Id of the button that shows a card."""

SOON = timedelta(hours=12)
"""Time before its expiry from which a card's line mentions it."""


def entries(threads: Sequence[Thread], *, of: int, url: str, now: datetime, rest_hint: str) -> list[Block]:
    """Build a line for each thread; if there are fewer than `of`, `rest_hint` says where to find the others."""
    left = of - len(threads)
    rest = [context(f"… and {left} more. {rest_hint}".strip())] if left > 0 else []
    return [*(entry(thread, url=url, now=now) for thread in threads), *rest]


def entry(thread: Thread, *, url: str, now: datetime) -> Block:
    """Build the line of a question: asker, channel, age, and special circumstances."""
    question = escape(clip(own_words(thread), 150))
    who = f"<{question_link(thread, url)}|{name_source(thread)}>"
    asked_in = f"{who} in {name_channel(thread.chat_id)}{_remarks(thread, url, now)}"
    line = f"*{age(now - waits_since(thread))}* · {asked_in}\n{question}"
    return section(line) | {
        "accessory": button("Show Card", SHOW_CARD, press_value(thread), about=f"of {question_title(thread)}")
    }


def age(span: timedelta) -> str:
    """Format an age in one unit."""
    minutes = max(0, int(span.total_seconds() // 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days"


def question_link(thread: Thread, url: str) -> str:
    """Return the address of a thread's question, in a workspace at `url`."""
    where = message_link(url, thread.chat_id, thread.original_message_id)
    is_root = thread.original_message_id == thread.root_ts
    return where if is_root else f"{where}?thread_ts={thread.root_ts}&cid={thread.chat_id}"


def message_link(url: str, channel: str, ts: str) -> str:
    """Return the address of a message."""
    return f"{url.rstrip('/')}/archives/{channel}/p{ts.replace('.', '')}"


def _remarks(thread: Thread, url: str, now: datetime) -> str:
    remarks = [f"*{outside}*"] if (outside := describe_outsiders(thread)) else []
    if thread.status == "in-doubt":
        remarks.append("*in doubt*")
    elif thread.draft_pending is None:
        remarks.append("no draft")
    elif thread.draft_pending.withheld:
        remarks.append("held back")
    elif thread.stale:
        remarks.append("look again")
    if thread.expires_at and thread.status == "pending-user" and thread.expires_at - now < SOON:
        remarks.append(f"expires in {age(thread.expires_at - now)}")
    remarks.append(f"<@{thread.operator}>")
    if thread.card.channel and thread.card.ts:
        remarks.append(f"<{message_link(url, thread.card.channel, thread.card.ts)}|card>")
    return "".join(f" · {each}" for each in remarks)
