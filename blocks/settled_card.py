"""Settled card: the outcome with a link to the reply, the asker and question, and an objection to the previous
reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.alert import build_alert_line
from blocks.evidence import with_button
from blocks.external_people import first_line
from blocks.outcome import describe_outcome
from blocks.question import describe_source, find_denial, own_words
from blocks.remedy_state import describe_remedy
from blocks.text import Block, clip, context, escape, rule, section
from bot.models.status_words import name_kind

if TYPE_CHECKING:
    from bot.models.incident import Remedy
    from bot.models.thread import Thread

_QUESTION = 80
"""Characters of the question on its line."""


def build_settled_card(thread: Thread, link: str) -> list[Block]:
    """Build the card of a question that was decided; `link` is the address of the question."""
    if thread.status == "approved":
        doing = "Held back; checking whether it was already posted…" if thread.held_back else "Posting…"
        line = f"{describe_outcome(thread)} {doing}"
    else:
        line = describe_outcome(thread, reply_link(thread, link, thread.posted_message_id))
    outcome = section(line) | {"block_id": f"outcome-{thread.revision}-{thread.card.nonce}"}
    question = escape(clip(own_words(thread), _QUESTION))
    return [
        rule(),
        *first_line(thread),
        with_button(thread, outcome),
        *build_alert_line(thread),
        *([context(describe_remedy(remedy))] if (remedy := _find_last_remedy(thread)) else []),
        context(f"{describe_source(thread)} · <{link}|the {name_kind(thread)}>: {question}"),
    ]


def _find_last_remedy(thread: Thread) -> Remedy | None:
    """Return the newest runbook of a question about an incident."""
    is_shown = thread.incident and thread.is_about_incident and thread.incident.remedies
    return thread.incident.remedies[-1] if thread.incident and is_shown else None


def build_denial_line(thread: Thread, link: str) -> list[Block]:
    """Build the line for a question that was reopened because a reply did not help."""
    if (back := find_denial(thread)) is None:
        return []
    word, question = back
    address = reply_link(thread, link, word.reply)
    reply = f"<{address}|the reply>" if address else "the reply"
    line = f"*Did not help:* <@{word.by}> says so below {reply} to \u201c{escape(clip(question, _QUESTION))}\u201d."
    return [context(line)]


def reply_link(thread: Thread, link: str, reply: str | None) -> str | None:
    """Build the address of a posted reply from that of the question; `None` if that is not possible."""
    base, archives, _ = link.partition("/archives/")
    if reply is None or not archives:
        return None
    message = f"{base}{archives}{thread.chat_id}/p{reply.replace('.', '')}"
    return f"{message}?thread_ts={thread.root_ts}&cid={thread.chat_id}"
