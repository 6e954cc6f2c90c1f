"""Retired card of a previous operator: it names the new one, and has no buttons.

The first of two approvers also sees the outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.external_people import first_line
from blocks.notification import notification
from blocks.outcome import handed_over_line
from blocks.question import describe_source
from blocks.settled_card import build_settled_card
from blocks.text import clip, context, name_channel, name_channel_plainly, quote, rule, section
from bot.models.status_words import name_kind

if TYPE_CHECKING:
    from bot.models.card import HandOver
    from bot.models.thread import Thread

_QUESTION = 600
"""Characters of the question that are still shown."""


def build_retired_card(thread: Thread, hand_over: HandOver, *, link: str) -> dict[str, Any]:
    """Build the `text` and `blocks` of the card; `link` is the address of the question."""
    if hand_over.at < thread.asked_at:
        return _build_earlier(thread, hand_over, link)
    if hand_over.for_second and not thread.is_open:
        return {"text": notification(thread), "blocks": build_settled_card(thread.evolve(card=hand_over.card), link)}
    where = f"{describe_source(thread)} (<{link}|open the {name_kind(thread)}>)"
    what = f"{'An' if thread.is_about_incident else 'A'} {name_kind(thread)}"
    line = context(f"{handed_over_line(hand_over, thread)} No action is needed here.")
    blocks = [
        rule(),
        *first_line(thread),
        section(where if thread.is_about_incident else f"*{name_kind(thread).capitalize()} from* {where}"),
        *([] if thread.is_about_incident else [quote(clip(thread.question, _QUESTION))]),
        line | {"block_id": f"outcome-{thread.revision}-{hand_over.card.nonce}"},
    ]
    return {
        "text": f"{what} in {name_channel_plainly(thread.chat_id, thread.chat_name)} was handed over.",
        "blocks": blocks,
    }


def _build_earlier(thread: Thread, hand_over: HandOver, link: str) -> dict[str, Any]:
    """Build the card of a question that the thread has left since: the present one is somebody else's."""
    where = f"An earlier question in {name_channel(thread.chat_id)} (<{link}|open the thread>)"
    line = context(f"{handed_over_line(hand_over, thread)} No action is needed here.")
    return {
        "text": f"An earlier question in {name_channel_plainly(thread.chat_id, thread.chat_name)} was handed over.",
        "blocks": [
            rule(),
            section(where),
            line | {"block_id": f"outcome-{thread.revision}-{hand_over.card.nonce}"},
        ],
    }
