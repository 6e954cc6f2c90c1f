"""Progress message of a long run; it also points to the card once there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.controls import build_ending_buttons
from blocks.external_people import line_start
from blocks.notification import describe_end, describe_question
from blocks.progress import describe_progress
from blocks.question import describe_source, own_words
from blocks.text import context, escape, section
from bot.models.status_words import name_kind

if TYPE_CHECKING:
    from bot.models.thread import Thread


def build_long_run(thread: Thread, *, link: str, held_reason: str | None = None) -> dict[str, Any]:
    """Build the `text` and `blocks`; `link` is the address of the question, `held_reason` the reason why its
    investigation waits."""
    where = f"{line_start(thread)}{describe_source(thread)} · <{link}|open the {name_kind(thread)}>"
    if thread.is_worked_on:
        state, row = describe_progress(thread, held_reason), [build_ending_buttons(thread)]
    elif thread.is_open:
        state, row = "It waits for your decision: the card is in this thread.", []
    else:
        state, row = describe_end(thread), []
    text = "It takes longer than usual; the draft follows in this thread." if row else state
    question = escape(own_words(thread)[:300])
    return {
        "text": f"{describe_question(thread)} {text}",
        "blocks": [section(f"*Taking longer:* {question}\n{state}"), context(where), *row],
    }
